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
    /// - `user`: The user who asks; nil for who may take any.
    /// - Throws: ``RequestFault`` `.unavailable` when there is none left, `.tooOften` when the user has all of theirs.
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
