import HoldfastObjectStore
import HoldfastRows

/// The observed properties: all properties, including properties of linked objects, or the properties of key paths.
struct ObservedPaths {
    private let model: ModelClass
    /// The chains of properties, by their stored names; nil for all.
    private let chains: [[String]]?

    /// Ends the process for a key path that names no property.
    ///
    /// - `keyPaths`: Names joined with points; `*` stands for any property. Nil or empty for all properties.
    init(_ model: ModelClass, _ keyPaths: [String]?) {
        self.model = model
        chains = keyPaths.flatMap { $0.isEmpty ? nil : $0 }?.flatMap { keyPath in
            Self.chains(keyPath.split(separator: ".", omittingEmptySubsequences: false)[...], model)
        }
    }

    private static func chains(_ names: ArraySlice<Substring>, _ model: ModelClass) -> [[String]] {
        guard let name = names.first else { return [] }
        let rest = names.dropFirst()
        let fields: [ModelField]
        if name == "*" {
            fields = model.fields.filter { rest.isEmpty || $0.target != nil }
        } else if let field = model.position(of: String(name)) {
            fields = [model.fields[field]]
        } else {
            Misuse.end("property '\(name)' not found in object of type '\(model.name)'")
        }
        return fields.flatMap { field -> [[String]] in
            if rest.isEmpty { return [[field.columnName]] }
            guard let target = field.target else {
                Misuse.end(
                    "property '\(field.name)' in object of type '\(model.name)' is not an object")
            }
            return chains(rest, target).map { [field.columnName] + $0 }
        }
    }

    /// The properties in a version of the schema.
    func shown(in schema: BoundSchema) -> ShownProperties {
        let rowClass = schema.rowClass(of: model)
        guard let chains else { return ShownProperties(everythingOf: rowClass.index) }
        return ShownProperties(
            chains: chains.map { schema.members(of: $0, from: rowClass) }, of: rowClass.index,
            schema: schema.rows)
    }

    /// The observed properties of the class itself. Each has its observed paths and whether they lead further; nil for all.
    ///
    /// - `place`: The object's place. Properties of an embedded object are reported by the object that contains it.
    func properties(
        in schema: BoundSchema, at place: ObjectReference
    ) -> [(name: String, shown: ShownProperties, leadsOn: Bool)]? {
        let owner = place.owners.map(\.member)
        let rootClass =
            schema.rows.rowClass(named: place.rootClass.definition.name) ?? place.rootClass
        if chains == nil, owner.isEmpty { return nil }
        let own = schema.rowClass(of: model)
        let chains = chains ?? model.fields.map { [$0.columnName] }
        return model.fields.compactMap { field in
            let behind = chains.filter { $0.first == field.columnName }
            if behind.isEmpty { return nil }
            let shown = ShownProperties(
                chains: behind.map { owner + schema.members(of: $0, from: own) },
                of: rootClass.index, schema: schema.rows)
            return (field.name, shown, behind.contains { $0.count > 1 })
        }
    }
}

extension ModelField {
    /// The class that the property links to; nil for values.
    fileprivate var target: ModelClass? {
        if case .object(let reference) = shape.element.kind {
            ModelClass.of(reference.type)
        } else {
            nil
        }
    }
}

extension BoundSchema {
    func rowClass(of model: ModelClass) -> RowClass {
        guard let rowClass = rows.rowClass(named: model.name) else {
            Misuse.end("Object type '\(model.name)' not managed by the Realm")
        }
        return rowClass
    }

    /// The positions of a chain of properties, each in the class that the previous one links to.
    fileprivate func members(of chain: [String], from rowClass: RowClass) -> [Int] {
        var rowClass = rowClass
        var members: [Int] = []
        for name in chain {
            guard let member = rowClass.names.position(of: name) else { break }
            members.append(member)
            let next = rowClass.members[member].classIndex
            if next >= 0 { rowClass = rows.classes[next] }
        }
        return members
    }
}
