import HoldfastObjectStore
import HoldfastRows

/// An observer of an object.
final class ObjectObservation: Observation, @unchecked Sendable {
    /// What it is told.
    enum News {
        /// The properties that have changed, each with its value before.
        case change([(field: ModelField, oldValue: Any?)])
        case deleted
    }

    private let place: ObjectPlace
    private let paths: ObservedPaths
    private let block: (News) -> Void
    /// The properties that have changed since it was told, by their positions in the class, with their values before.
    private var pending: [Int: Any?] = [:]
    private var isDeleted = false
    private var followed: FollowedPlace
    /// What is observed, in the view's schema: by property, or all.
    private var shown: Shown?

    private struct Shown {
        let schema: BoundSchema
        let everything: ShownProperties
        let properties: [(name: String, shown: ShownProperties)]?
    }

    init(
        _ place: ObjectPlace, _ paths: ObservedPaths, _ block: @escaping (News) -> Void
    ) {
        self.place = place
        self.paths = paths
        self.block = block
        followed = FollowedPlace(place)
        super.init(in: place.realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) { try follow(step, isTold: true) }

    override func skip(_ step: RealmStep) throws(StoreError) { try follow(step, isTold: false) }

    private func follow(_ step: RealmStep, isTold: Bool) throws(StoreError) {
        if isDeleted { return }
        let states = try followed.advance(step)
        guard let old = states.old else { return }
        guard let new = states.new else {
            isDeleted = true
            return
        }
        if !isTold { return }
        let model = place.binding.model
        for position in try changes(step, old, new) where pending[position] == nil {
            pending[position] = .some(value(model.fields[position], in: old))
        }
    }

    /// The properties of which something observed has changed.
    private func changes(
        _ step: RealmStep, _ old: StoredState, _ new: StoredState
    ) throws(StoreError) -> [Int] {
        let model = place.binding.model
        guard let changes = step.changes else {
            return model.fields.indices.filter {
                old.differs(model.fields[$0].columnName, from: new)
            }
        }
        let shown = shown(step)
        guard let properties = shown.properties else {
            let members = shown.everything.changes(in: changes, of: place.key)[place.key]
            guard let members else { return [] }
            return model.fields.indices.filter { position in
                new.member(model.fields[position].columnName).map(members.contains) ?? false
            }
        }
        return properties.compactMap { name, shown in
            shown.changes(in: changes, of: place.key).isEmpty ? nil : model.index[name]
        }
    }

    private func shown(_ step: RealmStep) -> Shown {
        let schema = realm.schema
        if let shown, shown.schema === schema { return shown }
        let rootClass =
            schema.rows.rowClass(named: place.rootClass.definition.name) ?? place.rootClass
        let made = Shown(
            schema: schema, everything: paths.shown(in: schema),
            properties: paths.properties(
                in: schema, within: place.owners.map(\.member), of: rootClass))
        shown = made
        return made
    }

    /// The value of a property in a state that is about to go.
    private func value(_ field: ModelField, in state: StoredState) -> Any? {
        guard field.shape.kind == .single, let member = state.member(field.columnName),
            let type = field.wrapper.valueType as? any RealmCollectionValue.Type
        else { return nil }
        let stored = state.rowClass.field(member, in: state.row)
        let storage = state.rowClass.members[member].storage
        if storage.element == .embedded {
            if stored.isNull { return nil }
            let way = realm.way(
                place.steps + [.member(member)], in: place.identity, isCollection: false)
            let inner = ObjectPlace(
                realm, realm.binding(ofClass: state.rowClass.members[member].classIndex),
                key: place.key, rootClass: place.rootClass, way: way)
            return realm.object(inner, nil)
        }
        return StatedValues.unwrapped(
            type._decode(
                StoredElement(
                    bytes: stored.isNull
                        ? UnsafeRawBufferPointer(start: nil, count: 0)
                        : stored.bytes(storage, state.view),
                    storage: storage.element, isNull: stored.isNull,
                    object: realm.object(place, nil), place: place,
                    owner: EditPath.Owner(member: member, element: nil))))
    }

    override func tell() {
        if isDeleted {
            end()
            return block(.deleted)
        }
        if pending.isEmpty { return }
        let fields = place.binding.model.fields
        let changed = pending.sorted { $0.key < $1.key }.map {
            (field: fields[$0.key], oldValue: $0.value)
        }
        pending = [:]
        block(.change(changed))
    }
}
