import HoldfastObjectStore

/// A collection or map whose changes are followed from version to version. Where its realm belongs alone uses it.
protocol FollowedCollection<Difference>: AnyObject {
    associatedtype Difference: FollowedDifference
    /// Finds the elements in a view; false where the object that holds them is gone.
    func load(in view: StoreView) throws(StoreError) -> Bool
    /// Goes on to the next view, and returns what has changed.
    func advance(_ step: RealmStep) throws(StoreError) -> Difference
    /// Goes on to the next view, of whose changes nothing is told.
    func pass(_ step: RealmStep) throws(StoreError)
}

extension FollowedCollection {
    func pass(_ step: RealmStep) throws(StoreError) { _ = try advance(step) }
}

/// The difference of a collection or map in two versions.
protocol FollowedDifference {
    var isEmpty: Bool { get }
    /// Joins two steps, of which the other is the later one.
    func followed(by next: Self) -> Self
}

extension ListDifference: FollowedDifference {}

/// An observer of a collection or map.
final class CollectionObservation<Difference: FollowedDifference>: Observation, @unchecked Sendable
{
    private let followed: any FollowedCollection<Difference>
    private let block: (Difference?) -> Void
    private var isTold = false
    /// The difference that waits to be told, never an empty one; nil for none.
    private var pending: Difference?

    /// - `block`: Is told nil when the collection was first found, and then each difference.
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
        // A difference that waits is told with all that follows it.
        if pending == nil { try followed.pass(step) } else { try note(step) }
    }

    override func tell() {
        guard isTold else {
            do throws(StoreError) {
                guard try followed.load(in: realm.committed) else { return end() }
            } catch {
                return realm.storageFailed(error)
            }
            isTold = true
            return block(nil)
        }
        guard let difference = pending else { return }
        pending = nil
        block(difference)
    }
}

extension RealmCollectionChange {
    /// The notification of a difference; nil stands for the collection as it was first found.
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

/// A notification of a collection's observer.
///
/// An observer's own list that follows the indices alone is the collection at each call: deletions are taken out from the end,
/// then insertions put in from the beginning.
public enum RealmCollectionChange<CollectionType> {
    /// The collection as it was first found: told once, before everything else.
    case initial(CollectionType)
    /// Elements went, came or have changed. An element that moved is a deletion and an insertion.
    ///
    /// - `deletions`, `modifications`: The indices before, rising.
    /// - `insertions`: The indices after, rising.
    case update(
        CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Reading failed. Never told: reading faults end the process.
    case error(any Error)
}
