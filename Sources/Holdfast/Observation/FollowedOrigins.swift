import HoldfastObjectStore
import HoldfastRows

/// The objects that link to an object.
final class FollowedOrigins: FollowedCollection {
    private let object: ObjectPlace
    private let columnName: String
    private let paths: ObservedPaths

    init(_ object: ObjectPlace, _ columnName: String, _ paths: ObservedPaths) {
        self.object = object
        self.columnName = columnName
        self.paths = paths
    }

    func load(in view: ReadTransaction) throws(StoreError) -> Bool {
        try StoredState(object, object.owners, in: view) != nil
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        let changed =
            step.changes.map { paths.shown(in: object.realm.schema).changes(in: $0) } ?? [:]
        let (old, new) = (try origins(in: step.before), try origins(in: step.after))
        return ListDifference(fromRising: old, toRising: new, changed: Set(changed.keys))
    }

    /// The keys of the origins in a view.
    private func origins(in view: ReadTransaction) throws(StoreError) -> [UInt64] {
        guard let state = try StoredState(object, object.owners, in: view),
            let position = state.member(columnName)
        else { return [] }
        return view.originKeys(
            of: state.rowClass.index, object.key, through: state.rowClass.members[position])
    }
}
