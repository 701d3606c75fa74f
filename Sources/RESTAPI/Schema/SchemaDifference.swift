import JSON
import ObjectModel
import ObjectStore

/// One step from a stored schema to a proposed one, as a dry run tells it.
struct SchemaDifference: Equatable {
    /// The steps that are performed.
    enum Operation: String {
        case addClass, addProperty, addIndex, dropIndex, addUnique, dropUnique, changeOnDelete,
            changeDefault, changeMapTo, setSchemaVersion
    }

    /// What is done.
    var operation: Operation
    /// The class; nil for the schema itself.
    var className: String?
    /// The property; nil for a class.
    var property: String?

    /// The steps from `present` to `proposed`, which is a change that the store performs.
    static func all(from present: Schema, to proposed: Schema) -> [SchemaDifference] {
        var steps: [SchemaDifference] = []
        if let version = proposed.schemaVersion, version != present.schemaVersion {
            steps.append(SchemaDifference(operation: .setSchemaVersion))
        }
        for objectClass in proposed.classes {
            let name = objectClass.name
            guard let old = present.objectClass(named: name) else {
                steps.append(SchemaDifference(operation: .addClass, className: name))
                continue
            }
            for property in objectClass.properties {
                func step(_ operation: Operation) {
                    steps.append(
                        SchemaDifference(
                            operation: operation, className: name, property: property.name))
                }
                guard let position = old.propertyIndex(named: property.name) else {
                    step(.addProperty)
                    continue
                }
                let before = old.properties[position]
                if property.isIndexed != before.isIndexed {
                    step(property.isIndexed ? .addIndex : .dropIndex)
                }
                if property.isUnique != before.isUnique {
                    step(property.isUnique ? .addUnique : .dropUnique)
                }
                if property.onDelete != before.onDelete { step(.changeOnDelete) }
                if property.defaultValue != before.defaultValue { step(.changeDefault) }
                if property.mapTo != before.mapTo { step(.changeMapTo) }
            }
            let added = objectClass.uniqueGroups.filter { !old.uniqueGroups.contains($0) }
            let dropped = old.uniqueGroups.filter { !objectClass.uniqueGroups.contains($0) }
            for (operation, groups) in [(Operation.addUnique, added), (.dropUnique, dropped)] {
                for group in groups {
                    steps.append(
                        SchemaDifference(
                            operation: operation, className: name,
                            property: group.joined(separator: ",")))
                }
            }
        }
        return steps
    }

    /// Writes the reply to a dry run of a change.
    ///
    /// - Throws: ``StoreError`` as the change would.
    static func dryRun(_ proposed: Schema, _ store: Store, to writer: JSONWriter) throws(StoreError)
    {
        try store.checkSchema(proposed)
        let transaction = try store.read()
        defer { transaction.close() }
        let steps = all(from: transaction.catalog.schema, to: proposed)
        var counts: [String: Int] = [:]
        for name in Set(steps.compactMap(\.className)) {
            counts[name] = try transaction.rows.rowClass(named: name).map(transaction.count) ?? 0
        }
        write(steps, objectCount: { counts[$0] ?? 0 }, to: writer)
    }

    /// Writes steps as the reply to a dry run.
    ///
    /// - `objectCount`: How many objects a class holds.
    static func write(
        _ steps: [SchemaDifference], objectCount: (String) -> Int, to writer: JSONWriter
    ) {
        writer.object { object in
            object.member("changes").array { array in
                for step in steps {
                    array.element().object { object in
                        object.member("op").string(step.operation.rawValue)
                        if let name = step.className { object.member("class").string(name) }
                        if let name = step.property { object.member("property").string(name) }
                        object.member("objects").int(
                            Int64(step.className.map(objectCount) ?? 0))
                        object.member("lossy").bool(false)
                    }
                }
            }
        }
    }
}
