import HoldfastObjectStore
import HoldfastRows

/// The properties of an object, by their positions in its class.
final class OwnProperties: ObservedProperties {
    private let place: ObjectReference
    private let paths: ObservedPaths
    /// The observed properties in the view's schema: some, or all.
    private var shown: Shown?

    private struct Shown {
        let schema: BoundSchema
        let everything: ShownProperties
        let properties: [(name: String, shown: ShownProperties, leadsOn: Bool)]?
    }

    init(_ place: ObjectReference, _ paths: ObservedPaths) {
        self.place = place
        self.paths = paths
    }

    func name(_ position: Int) -> String { place.binding.model.fields[position].name }

    func changes(
        _ step: RealmStep, from old: StoredState, to new: StoredState
    ) throws(StoreError) -> [Int] {
        let model = place.binding.model
        guard let changes = step.changes else {
            return model.fields.indices.filter {
                old.differs(model.fields[$0].columnName, from: new)
            }
        }
        let shown = present
        guard let properties = shown.properties else {
            let members = shown.everything.changes(in: changes, of: place.key)[place.key]
            guard let members else { return [] }
            return model.fields.indices.filter { position in
                new.member(model.fields[position].columnName).map(members.contains) ?? false
            }
        }
        return properties.compactMap { name, shown, leadsOn in
            guard let position = model.position(of: name),
                !shown.changes(in: changes, of: place.key).isEmpty
            else { return nil }
            // For a list of embedded objects, it is only known that one of them has changed.
            let isOther =
                place.owners.isEmpty || leadsOn
                || old.differs(model.fields[position].columnName, from: new)
            return isOther ? position : nil
        }
    }

    private var present: Shown {
        let schema = place.realm.schema
        if let shown, shown.schema === schema { return shown }
        let made = Shown(
            schema: schema, everything: paths.shown(in: schema),
            properties: paths.properties(in: schema, at: place))
        shown = made
        return made
    }

    func value(_ position: Int, in state: StoredState) -> Any? {
        let realm = place.realm
        let field = place.binding.model.fields[position]
        guard field.shape.kind == .single, let member = state.member(field.columnName),
            let type = field.wrapper.valueType as? any RealmCollectionValue.Type
        else { return nil }
        let stored = state.rowClass.field(member, in: state.row)
        let storage = state.rowClass.members[member].storage
        if storage.element == .embedded {
            if stored.isNull { return nil }
            let way = realm.way(
                place.steps + [.member(member)], of: place.rootClass, place.key,
                isCollection: false)
            let inner = ObjectReference(
                realm, realm.binding(ofClass: state.rowClass.members[member].classIndex),
                key: place.key, way: way)
            return realm.object(inner, nil)
        }
        return ExplicitValues.unwrapped(
            type._decode(
                StoredElement(
                    bytes: stored.isNull
                        ? UnsafeRawBufferPointer(start: nil, count: 0)
                        : stored.bytes(storage, state.view), storage: storage.element,
                    isNull: stored.isNull, object: nil, place: place,
                    owner: EditPath.Owner(member: member, element: nil))))
    }
}
