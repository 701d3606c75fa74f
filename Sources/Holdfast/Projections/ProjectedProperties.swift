import HoldfastObjectStore

/// The properties of a projection, by their positions among those that are observed.
final class ProjectedProperties: ObservedProperties {
    private let object: ObjectBase
    private let place: ObjectPlace
    private let properties: [ProjectedProperty]
    /// The properties that each depends on, in the view's schema.
    private var shown: (schema: BoundSchema, properties: [[ShownProperties]])?

    /// - `object`: The object that is projected, at its place.
    init(_ object: ObjectBase, _ place: ObjectPlace, _ properties: [ProjectedProperty]) {
        self.object = object
        self.place = place
        self.properties = properties
    }

    func name(_ position: Int) -> String { properties[position].name }

    func changes(
        _ step: RealmStep, from old: StoredState, to new: StoredState
    ) throws(StoreError) -> [Int] {
        guard let changes = step.changes else {
            return properties.indices.filter { differs(properties[$0], from: old, to: new) }
        }
        let shown = present
        return properties.indices.filter { position in
            shown[position].contains { !$0.changes(in: changes, of: place.key).isEmpty }
        }
    }

    /// Compares the object's own properties that a projected one depends on.
    private func differs(
        _ property: ProjectedProperty, from old: StoredState, to new: StoredState
    ) -> Bool {
        let model = place.binding.model
        return property.paths.contains { path in
            let field = path.split(separator: ".").first.flatMap { model.position(of: String($0)) }
            return field.map { old.differs(model.fields[$0].columnName, from: new) } ?? false
        }
    }

    private var present: [[ShownProperties]] {
        let schema = place.realm.schema
        if let shown, shown.schema === schema { return shown.properties }
        let made = properties.map { property in
            let paths = ObservedPaths(place.binding.model, property.paths)
            return paths.properties(in: schema, at: place)?.map(\.shown) ?? []
        }
        shown = (schema, made)
        return made
    }

    func value(_ position: Int, in state: StoredState) -> Any? {
        let realm = place.realm
        guard state.view.rows === realm.schema.rows else { return nil }
        let value = realm.showing(state.view) { properties[position].value(of: object) }
        // A collection would show what there is now.
        return value is any _Queried || value is any ProjectedElements ? nil : value
    }
}
