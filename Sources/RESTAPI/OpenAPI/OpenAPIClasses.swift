import HoldfastObjectJSON
import HoldfastObjectModel

/// The classes of a schema with their names in the document.
struct OpenAPIClasses {
    /// In the order of the schema.
    let all: [OpenAPIClass]
    /// The projections, in the order in which they were made.
    let projections: [OpenAPIProjection]
    private let positions: [ExactText: Int]
    private let schema: Schema

    /// Names everything that belongs to the classes. A class keeps its own name if it can;
    /// derived names give way to it. It gives way to `reserved`, the schemas that belong to no class.
    init(_ schema: Schema, projections definitions: [Projection] = [], reserved: [String]) {
        var names = OpenAPINames()
        for name in reserved { _ = names.unique(name) }
        var nouns = OpenAPINames()
        let objects = schema.classes.map { names.unique(OpenAPINames.identifier($0.name)) }
        let shown = definitions.map { names.unique(OpenAPINames.identifier($0.name)) }
        var clientNames: [String: String] = [:]
        for object in objects + shown where OpenAPINames.isGenerators(object) {
            clientNames[object] = names.unique(object)
        }
        var all: [OpenAPIClass] = []
        var positions: [ExactText: Int] = [:]
        for (definition, object) in zip(schema.classes, objects) {
            let patch = names.unique(object + "Patch")
            let input = names.unique(object + "Input")
            var new = definition.kind == .asymmetric ? input : patch
            if OpenAPIClass.mustStateKey(definition) { new = names.unique(object + "New") }
            positions[definition.name] = all.count
            all.append(
                OpenAPIClass(
                    definition: definition, object: object, clientName: clientNames[object],
                    input: input, patch: patch, new: new, page: names.unique(object + "Page"),
                    sectionPage: names.unique(object + "SectionPage"),
                    written: names.unique(object + "Written"),
                    changePage: names.unique(object + "ChangePage"),
                    snapshotPage: names.unique(object + "SnapshotPage"),
                    noun: nouns.unique(OpenAPINames.capitalised(object)),
                    path: "/v1/classes/" + ObjectPath.segment(definition.name)))
        }
        self.all = all
        self.schema = schema
        self.positions = positions
        var classes: [ExactText: ObjectClass] = [:]
        if !definitions.isEmpty {
            for definition in schema.classes { classes[definition.name] = definition }
        }
        var projections: [OpenAPIProjection] = []
        for (definition, object) in zip(definitions, shown) {
            guard let position = positions[definition.className] else { continue }
            let projection = OpenAPIProjection(
                definition, of: all[position].definition, in: classes, object,
                clientName: clientNames[object], &names, &nouns)
            projections.append(projection)
        }
        self.projections = projections
    }

    func projection(_ name: String) -> OpenAPIProjection? {
        projections.first { $0.definition.name.isSame(as: name) }
    }

    /// The classes with objects that hold embedded ones of a class, see ``Schema/owners(of:)``.
    func owners(of embedded: String) -> [OpenAPIClass] {
        schema.owners(of: embedded).compactMap { self[$0.name] }
    }

    /// The class of a name in the schema.
    subscript(_ name: String) -> OpenAPIClass? { positions[name].map { all[$0] } }
}

/// A class with the names of its parts in the document.
struct OpenAPIClass {
    let definition: ObjectClass
    /// The schema of an object as replies have it.
    let object: String
    /// The title of that schema. Clients use it as the name if the class has the name of a type of a generator. Nil
    /// for other classes.
    let clientName: String?
    /// The schema of a whole object in a write: omitted properties get their defaults.
    let input: String
    /// The schema of a change: omitted properties stay.
    let patch: String
    /// The schema of an object that is created, or merged into the one that its key names.
    let new: String
    /// The schema of a page of objects.
    let page: String
    /// The schema of a page of sections.
    let sectionPage: String
    /// The schema of the reply to a write of several objects.
    let written: String
    /// The schema of a page of changes.
    let changePage: String
    /// The schema of a page of current matches.
    let snapshotPage: String
    /// The noun behind the verb in the ids of operations.
    let noun: String
    let path: String

    var hasOperations: Bool { definition.kind.standsAlone }

    /// Whether objects are only created, and consumed from the outbox.
    var isAsymmetric: Bool { definition.kind == .asymmetric }

    /// The property that names objects; nil where `$id` does.
    var primaryKey: Property? { Self.primaryKey(definition) }

    /// The type of the objects' keys.
    var keyType: ScalarType { primaryKey.flatMap(Self.scalar) ?? .int }

    /// Whether a new object has to state its key, because the service does not make keys of its type.
    static func mustStateKey(_ definition: ObjectClass) -> Bool {
        guard let key = primaryKey(definition), key.defaultValue != .next else { return false }
        switch scalar(key) {
        case nil, .objectID, .uuid: return false
        default: return true
        }
    }

    private static func primaryKey(_ definition: ObjectClass) -> Property? {
        definition.primaryKey.flatMap { name in
            definition.properties.first { $0.name.isSame(as: name) }
        }
    }

    private static func scalar(_ property: Property) -> ScalarType? {
        guard case .single(.scalar(let scalar)) = property.type else { return nil }
        return scalar
    }

    /// Whether its objects have the members of the reply to a write of several.
    var looksLikeWritten: Bool {
        ["objects", "version"].allSatisfy { name in
            definition.properties.contains { $0.name.isSame(as: name) }
        }
    }

    /// Whether there are keys that no path carries: null, the empty string, one with a slash.
    var hasKeysWithoutPath: Bool {
        guard let primaryKey else { return false }
        return primaryKey.isOptional || keyType == .string
    }

    /// Whether replies name `$id` as a property. Where a property has nearly the same name, a
    /// generated client could not tell them apart.
    var declaresID: Bool {
        definition.kind.standsAlone && primaryKey == nil
            && !definition.properties.contains { OpenAPINames.folded($0.name) == "id" }
    }
}

/// A projection with the names of its parts in the document.
struct OpenAPIProjection {
    /// One property and the end of its path.
    struct Property {
        let definition: Projection.Property
        let value: ProjectedValue

        /// Whether a patch may state it.
        var isWritable: Bool {
            if value.isMapped || value.isCalculated || !value.property.isStored { return false }
            return definition.projection == nil || !value.property.type.isCollection
        }
    }

    let definition: Projection
    /// Its properties, in the order of the definition.
    let properties: [Property]
    /// Its operations and schemas, named as for a class with the projection's name and the keys of the class that it shows.
    let entry: OpenAPIClass

    /// Names the parts of a projection.
    ///
    /// - `base`: The class that it shows.
    /// - `classes`: The classes of the schema by name.
    /// - `object`: The name of its own schema.
    /// - `clientName`: See ``OpenAPIClass/clientName``.
    init(
        _ definition: Projection, of base: ObjectClass, in classes: [ExactText: ObjectClass],
        _ object: String, clientName: String?, _ names: inout OpenAPINames,
        _ nouns: inout OpenAPINames
    ) {
        self.definition = definition
        properties = definition.properties.compactMap { property in
            let value = try? ProjectedValue(property.path, from: base.name, in: classes)
            return value.map { Property(definition: property, value: $0) }
        }
        var shown = base
        shown.name = definition.name
        let patch = names.unique(object + "Patch")
        entry = OpenAPIClass(
            definition: shown, object: object, clientName: clientName, input: patch, patch: patch,
            new: patch, page: names.unique(object + "Page"),
            sectionPage: names.unique(object + "SectionPage"), written: object,
            changePage: names.unique(object + "ChangePage"),
            snapshotPage: names.unique(object + "SnapshotPage"),
            noun: nouns.unique(OpenAPINames.capitalised(object)),
            path: "/v1/projections/" + ObjectPath.segment(definition.name))
    }

    /// Whether replies name `$id` as a property; see ``OpenAPIClass/declaresID``.
    var declaresID: Bool {
        entry.definition.kind == .object && entry.primaryKey == nil
            && !properties.contains { OpenAPINames.folded($0.definition.name) == "id" }
    }
}
