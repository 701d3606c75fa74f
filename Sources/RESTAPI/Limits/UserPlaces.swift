import HoldfastStoreService
import Synchronization

/// The places of something that each user may have at a time. Thread-safe.
final class UserPlaces: Sendable {
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
        return isTaken ? Place(places: self, user: user) : nil
    }

    /// A place of a user.
    final class Place: Sendable {
        private let places: UserPlaces
        private let user: ClientKey

        fileprivate init(places: UserPlaces, user: ClientKey) {
            self.places = places
            self.user = user
        }

        deinit {
            places.taken.withLock { taken in
                let count = taken[user, default: 1] - 1
                taken[user] = count == 0 ? nil : count
            }
        }
    }
}
