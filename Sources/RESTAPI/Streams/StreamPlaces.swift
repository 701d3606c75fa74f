import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// The connections that event streams and waiting polls may take: the others are left to probes and to requests that
/// are answered at once. Thread-safe.
final class StreamPlaces: Sendable {
    /// How many are taken.
    let takenCount = Atomic<Int>(0)
    private let countMax: Int
    private let users: UserPlaces

    init(_ options: RESTOptions) {
        // However few connections there are, streams get half of them.
        countMax =
            options.connectionCountMax
            - min(options.reservedConnectionCount, options.connectionCountMax / 2)
        users = UserPlaces(
            options.userStreamCountMax, refusal: .tooManyOfUser(options.userStreamCountMax))
    }

    /// Takes a connection, until the last reference to the returned lease goes.
    ///
    /// - `user`: The calling user; nil for a client without a limit of its own.
    /// - Throws: ``RequestFault`` `.unavailable` if no place is left, `.tooOften` if the user has reached its limit.
    func take(for user: ClientKey?) throws(RequestFault) -> Lease {
        let own = try users.take(for: user)
        let count = takenCount.wrappingAdd(1, ordering: .relaxed).newValue
        let place = Lease {
            self.takenCount.wrappingSubtract(1, ordering: .relaxed)
            own?.end()
        }
        if count > countMax { throw .tooManyStreams(countMax) }
        return place
    }
}

extension RequestFault {
    fileprivate static func tooManyOfUser(_ countMax: Int) -> RequestFault {
        RequestFault(
            .tooOften, "too-many-streams",
            "This user has \(countMax) event streams and waiting requests open, and no more may be (--max-user-streams).",
            retryAfterSeconds: 5)
    }

    fileprivate static func tooManyStreams(_ countMax: Int) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-streams",
            "\(countMax) event streams and waiting requests are open, and no more may be: the other connections are "
                + "left to other requests. Try again later, ask without 'Prefer: wait', or let the service take more "
                + "(--max-connections).", retryAfterSeconds: 5)
    }
}

/// The places of something that each user may have at a time. Thread-safe.
final class UserPlaces: Sendable {
    private let countMax: Int
    private let refusal: RequestFault
    private let taken = Mutex<[ClientKey: Int]>([:])

    /// Places for each user.
    ///
    /// - `refusal`: The fault for a user that has reached its limit.
    init(_ countMax: Int, refusal: RequestFault) {
        self.countMax = countMax
        self.refusal = refusal
    }

    /// Takes a place, until the last reference to it goes; nil for a client that needs no place. Cost: a look-up.
    ///
    /// - Throws: ``RequestFault`` if the user has reached its limit.
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
