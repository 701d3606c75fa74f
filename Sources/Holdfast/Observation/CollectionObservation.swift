import HoldfastObjectStore

/// A collection or map that is compared from version to version. Used only where its realm belongs.
protocol FollowedCollection<Difference>: AnyObject {
    associatedtype Difference: FollowedDifference
    /// Finds the elements in a view; false if the object that owns the collection is gone.
    func load(in view: StoreView) throws(StoreError) -> Bool
    /// Advances to the next view and returns the changes.
    func advance(_ step: RealmStep) throws(StoreError) -> Difference
}

/// The difference of a collection or map between two versions.
protocol FollowedDifference {
    var isEmpty: Bool { get }
    /// Joins two steps; `next` is the later one.
    func followed(by next: Self) -> Self
}

extension ListDifference: FollowedDifference {}

/// An observer of a collection or map.
final class CollectionObservation<Difference: FollowedDifference>: Observation, @unchecked Sendable
{
    private let followed: any FollowedCollection<Difference>
    private let block: (Difference?) -> Void
    private var isTold = false
    /// The difference that is not reported yet, or nil. It is never empty.
    private var pending: Difference?

    /// - `block`: Receives nil when the collection was first found, and then each difference.
    init(
        in realm: RealmCore, _ followed: any FollowedCollection<Difference>,
        _ block: @escaping (Difference?) -> Void
    ) {
        self.followed = followed
        self.block = block
        super.init(in: realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) {
        guard isTold else { return }
        let difference = try followed.advance(step)
        let all = pending?.followed(by: difference) ?? difference
        pending = all.isEmpty ? nil : all
    }

    override func skip(_ step: RealmStep) throws(StoreError) {
        guard isTold else { return }
        // A pending difference is reported together with all later ones.
        if pending == nil { _ = try followed.advance(step) } else { try note(step) }
    }

    override func tell() {
        guard isTold else {
            do throws(StoreError) {
                guard try followed.load(in: realm.committed) else { return end() }
            } catch { return realm.storageFailed(error) }
            isTold = true
            return block(nil)
        }
        guard let difference = pending else { return }
        pending = nil
        block(difference)
    }
}

extension RealmCollectionChange {
    /// The notification of a difference; nil stands for the collection as first found.
    init(_ collection: CollectionType, _ difference: ListDifference?) {
        guard let difference else {
            self = .initial(collection)
            return
        }
        self = .update(
            collection, deletions: Array(difference.deletions.joined()),
            insertions: Array(difference.insertions.joined()),
            modifications: Array(difference.modifications.joined()))
    }
}
