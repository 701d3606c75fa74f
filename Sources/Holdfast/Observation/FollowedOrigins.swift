import HoldfastObjectStore
import HoldfastRows

/// The objects that link to an object.
final class FollowedOrigins: FollowedCollection {
    private let object: ObjectPlace
    private let columnName: String
    private let isOfEmbedded: Bool
    private let paths: ObservedPaths

    init(_ object: ObjectPlace, _ origins: OriginPlace, _ paths: ObservedPaths) {
        self.object = object
        columnName = origins.columnName
        isOfEmbedded = origins.isOfEmbedded
        self.paths = paths
    }

    func load(in view: ReadTransaction) throws(StoreError) -> Bool {
        try StoredState(object, object.owners, in: view) != nil
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        if isOfEmbedded {
            return ListDifference(
                from: try rows(in: step.before), to: try rows(in: step.after), changed: [])
        }
        let changed =
            step.changes.map { paths.shown(in: object.realm.schema).changes(in: $0) } ?? [:]
        let (old, new) = (try origins(in: step.before), try origins(in: step.after))
        return ListDifference(fromRising: old, toRising: new, changed: Set(changed.keys))
    }

    /// The keys of the origins in a view.
    private func origins(in view: ReadTransaction) throws(StoreError) -> [UInt64] {
        try member(in: view).map { view.originKeys(of: object, through: $0) } ?? []
    }

    /// The rows of embedded objects that are origins in a view: they have no identity beside.
    private func rows(
        in view: ReadTransaction
    ) throws(StoreError) -> [UnsafeRawBufferPointer?] {
        let origins = try member(in: view).map { view.embeddedOrigins(of: object, through: $0) }
        return origins?.map { $0.row(in: view)?.bytes } ?? []
    }

    /// The inverse link in a view; nil if the object no longer exists.
    private func member(in view: ReadTransaction) throws(StoreError) -> RowClass.Member? {
        guard let state = try StoredState(object, object.owners, in: view) else { return nil }
        return state.member(columnName).map { state.rowClass.members[$0] }
    }
}
