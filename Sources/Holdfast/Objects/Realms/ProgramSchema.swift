import HoldfastObjectModel
import HoldfastObjectStore

/// Collects the classes of a realm from the program, checks them, and adds them to the store.
enum ProgramSchema {
    /// The classes of a configuration, with the classes that they link to.
    ///
    /// - Throws: ``Realm/Error`` with every fault of the declarations, except the faults that ``agree(_:with:_:)`` finds.
    static func models(of configuration: Realm.Configuration) throws -> [ModelClass] {
        let types: [ObjectBase.Type]
        if let stated = configuration.objectTypes {
            types = stated
        } else {
            guard let found = ClassDiscovery.classes() else {
                throw Realm.Error(
                    .schemaMismatch,
                    "The classes of this program can't be found: name them in the configuration's `objectTypes`."
                )
            }
            types = found.filter { $0.shouldIncludeInDefaultSchema() }
        }
        var models: [ModelClass] = []
        var known: Set<ObjectIdentifier> = []
        var waiting = types[...]
        while let type = waiting.popFirst() {
            guard known.insert(ObjectIdentifier(type)).inserted else { continue }
            let model = ModelClass.of(type)
            models.append(model)
            guard configuration.objectTypes == nil else { continue }
            for field in model.fields {
                if case .object(let reference) = field.shape.element.kind {
                    waiting.append(reference.type)
                }
            }
        }
        try require(models, wholly: configuration.objectTypes != nil)
        return models
    }

    /// - `wholly`: Whether the store's rules for a schema are checked too. Not needed if the store has exactly the program's
    ///   classes.
    private static func require(_ models: [ModelClass], wholly: Bool) throws {
        let faults = faults(of: models, wholly: wholly)
        if faults.isEmpty { return }
        throw Realm.Error(
            .schemaMismatch,
            "Schema validation failed due to the following errors:\n- "
                + faults.joined(separator: "\n- "))
    }

    private static func faults(of models: [ModelClass], wholly: Bool) -> [String] {
        var faults = models.compactMap(\.fault)
        let byName = Dictionary(grouping: models, by: \.name)
        for (name, same) in byName where same.count > 1 {
            let types = same.map { "'\(String(reflecting: $0.type))'" }.sorted().joined(
                separator: " and ")
            faults.append("Class name '\(name)' is not unique: \(types) have it.")
        }
        var told: Set<String> = []
        for model in models {
            for (property, fault) in rules(of: model) {
                faults.append(fault)
                told.insert("\(model.name).\(property)")
            }
        }
        guard wholly || !faults.isEmpty else { return [] }
        let unique = byName.values.compactMap(\.first?.definition)
        let rest = HoldfastObjectModel.Schema(classes: unique).faults()
        return faults
            + rest.filter { !told.contains("\($0.className ?? "").\($0.property ?? "")") }
            .map(sentence)
    }

    /// The message for a fault of the schema, with the class and the property.
    private static func sentence(_ fault: SchemaFault) -> String {
        switch (fault.className, fault.property) {
        case (let name?, let property?): "Property '\(name).\(property)': \(fault.detail)"
        case (let name?, nil): "Class '\(name)': \(fault.detail)"
        case (nil, _): fault.detail
        }
    }

    /// The faults of links, worded as Realm words them, by the property.
    private static func rules(of model: ModelClass) -> [(property: String, fault: String)] {
        model.fields.compactMap { field in
            guard case .object(let reference) = field.shape.element.kind else { return nil }
            let name = ModelClass.name(of: reference.type)
            let isOptional = field.shape.element.isOptional
            let fault: String
            switch field.shape.kind {
            case .origins where field.originProperty == nil:
                fault =
                    "LinkingObjects property '\(model.name).\(field.name)' must set the origin property name with @Persisted(originProperty: \"name\")."
            case .single where !isOptional, .map where !isOptional:
                fault = "Object property '\(field.name)' must be marked as optional."
            case .list where isOptional:
                fault = "List<\(name)> property '\(field.name)' must not be marked as optional."
            case .set where isOptional:
                fault =
                    "MutableSet<\(name)> property '\(field.name)' must not be marked as optional."
            default: return nil
            }
            return (field.columnName, fault)
        }
    }

    /// Adds the program's classes to a store.
    static func agree(
        _ models: [ModelClass], with opened: OpenedStore, _ configuration: Realm.Configuration
    ) throws {
        let store = opened.store
        let version = configuration.schemaVersion
        var agreement = SchemaAgreement(models, with: store.catalog.schema)
        if agreement.isChange, configuration.objectTypes == nil {
            try require(models, wholly: true)
        }
        if configuration.deleteRealmIfMigrationNeeded,
            version < store.catalog.schema.schemaVersion ?? 0 || !agreement.differences.isEmpty
        {
            try change(store, configuration) { _ in
                SchemaProposal(
                    HoldfastObjectModel.Schema(schemaVersion: version), allowsDataLoss: true,
                    projections: [])
            }
            agreement = SchemaAgreement(models, with: store.catalog.schema)
        }
        let stored = store.catalog.schema.schemaVersion
        if let stored, version < stored {
            throw Realm.Error(
                .schemaMismatch,
                "Provided schema version \(version) is less than last set version \(stored).",
                fileURL: configuration.fileURL)
        }
        if !agreement.differences.isEmpty, version == stored ?? 0 {
            throw Realm.Error(
                .schemaMismatch,
                "Migration is required due to the following errors:\n- "
                    + agreement.differences.joined(separator: "\n- "),
                fileURL: configuration.fileURL)
        }
        guard agreement.isChange || version != stored ?? 0 else { return }
        if configuration.readOnly {
            throw Realm.Error(
                .schemaMismatch,
                "The store lacks classes or properties of the program, and the realm is read-only.",
                fileURL: configuration.fileURL)
        }
        let losesData = !agreement.differences.isEmpty
        try change(store, configuration) { present in
            var schema = SchemaAgreement(models, with: present).schema
            schema.schemaVersion = version == 0 ? present.schemaVersion : version
            return SchemaProposal(schema, allowsDataLoss: losesData)
        }
    }

    private static func change(
        _ store: Store, _ configuration: Realm.Configuration,
        _ make: @escaping @Sendable (HoldfastObjectModel.Schema) -> SchemaProposal
    ) throws {
        let write = AwaitedSchemaWrite { present in make(present.schema) }
        store.submit(write)
        do throws(StoreError) { try write.wait() } catch {
            throw Realm.Error(error, configuration.fileURL)
        }
    }
}
