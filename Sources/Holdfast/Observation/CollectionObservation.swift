import HoldfastObjectStore

/// A collection whose changes are followed from version to version. Where its realm belongs alone uses it.
protocol FollowedCollection: AnyObject {
    /// Finds the elements in a view; false where the object that holds them is gone.
    func load(in view: ReadTransaction) throws(StoreError) -> Bool
    /// Goes on to the next view, and returns what has changed.
    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference
}

/// An observer of a collection.
final class CollectionObservation: Observation, @unchecked Sendable {
    /// The news of a collection's observer.
    enum News {
        case initial
        case update(ListDifference)
    }

    private let followed: any FollowedCollection
    private let block: (News) -> Void
    private var isTold = false
    private var pending: ListDifference?

    init(
        in realm: RealmCore, _ followed: any FollowedCollection,
        _ block: @escaping (News) -> Void
    ) {
        self.followed = followed
        self.block = block
        super.init(in: realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) {
        guard isTold else { return }
        let difference = try followed.advance(step)
        pending = pending?.followed(by: difference) ?? difference
    }

    override func skip(_ step: RealmStep) throws(StoreError) {
        guard isTold else { return }
        let difference = try followed.advance(step)
        pending = pending?.followed(by: difference)
    }

    override func tell() {
        guard isTold else {
            do throws(StoreError) {
                guard try followed.load(in: realm.committed) else { return end() }
            } catch {
                return realm.storageFailed(error)
            }
            isTold = true
            return block(.initial)
        }
        guard let difference = pending else { return }
        pending = nil
        if !difference.isEmpty { block(.update(difference)) }
    }
}

extension CollectionObservation.News {
    /// The change of a collection.
    func change<C>(of collection: C) -> RealmCollectionChange<C> {
        switch self {
        case .initial: .initial(collection)
        case .update(let difference):
            .update(
                collection, deletions: Array(difference.deletions.joined()),
                insertions: Array(difference.insertions.joined()),
                modifications: Array(difference.modifications.joined()))
        }
    }
}
