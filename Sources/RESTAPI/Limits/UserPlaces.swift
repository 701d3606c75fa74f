import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// The places of something that each user may have at a time. Thread-safe.
final class UserPlaces: Sendable {
    typealias Place = Lease

    private let countMax: Int
    private let taken = Mutex<[ClientKey: Int]>([:])

    /// Places for each user.
    init(_ countMax: Int) { self.countMax = countMax }

    /// Takes a place, until the last reference to it goes; nil when the user has all of theirs. Cost: a look-up.
    func take(for user: ClientKey) -> Place? {
        let isTaken = taken.withLock { taken in
            let count = taken[user, default: 0]
            if count < countMax { taken[user] = count + 1 }
            return count < countMax
        }
        guard isTaken else { return nil }
        return Lease {
            self.taken.withLock { taken in
                let count = taken[user, default: 1] - 1
                taken[user] = count == 0 ? nil : count
            }
        }
    }
}
