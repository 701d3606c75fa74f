import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// The places of something that each user may have at a time. Thread-safe.
final class UserPlaces: Sendable {
    private let countMax: Int
    private let refusal: RequestFault
    private let taken = Mutex<[ClientKey: Int]>([:])

    /// Places for each user.
    ///
    /// - `refusal`: The fault for a user who has all of theirs.
    init(_ countMax: Int, refusal: RequestFault) {
        self.countMax = countMax
        self.refusal = refusal
    }

    /// Takes a place, until the last reference to it goes; nil for who needs none. Cost: a look-up.
    ///
    /// - Throws: ``RequestFault`` when the user has all of theirs.
    func take(for user: ClientKey?) throws(RequestFault) -> Lease? {
        guard let user else { return nil }
        let isTaken = taken.withLock { taken in
            let count = taken[user, default: 0]
            if count < countMax { taken[user] = count + 1 }
            return count < countMax
        }
        guard isTaken else { throw refusal }
        return Lease {
            self.taken.withLock { taken in
                let count = taken[user, default: 1] - 1
                taken[user] = count == 0 ? nil : count
            }
        }
    }
}
