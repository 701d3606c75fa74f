import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads

extension RESTOptions {
    /// The number of connections that event streams and waiting polls may take. The other connections are left to probes and to
    /// requests that are answered at once. Streams get at least half of all connections.
    var streamCountMax: Int {
        connectionCountMax - min(reservedConnectionCount, connectionCountMax / 2)
    }
}

extension RESTService {
    /// Takes a connection for an event stream or a waiting poll, until the lease ends.
    ///
    /// - `user`: The calling user; nil for a client without a limit of its own.
    /// - Throws: ``RequestFault`` `.unavailable` if no connection is left, `.tooOften` if the user has reached its limit.
    func takeStream(for user: ClientKey?) throws(RequestFault) -> Lease {
        try streamSlots.take(for: user) { full in
            switch full {
            case .forOwner: .tooManyOfUser(options.userStreamCountMax)
            case .forAll: .tooManyStreams(options.streamCountMax)
            }
        }
    }
}

extension Slots<ClientKey> {
    /// Takes a slot, and throws the fault that `fault` makes if there is none.
    func take(
        for client: ClientKey?, _ fault: (Full) -> RequestFault
    ) throws(RequestFault) -> Lease {
        do throws(Full) { return try take(for: client) } catch { throw fault(error) }
    }
}

extension RequestFault {
    fileprivate static func tooManyOfUser(_ countMax: Int) -> RequestFault {
        RequestFault(
            .tooOften, "too-many-streams",
            "This user has \(countMax) event streams and waiting requests open, the most allowed (--max-user-streams).",
            retryAfterSeconds: 5)
    }

    fileprivate static func tooManyStreams(_ countMax: Int) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-streams",
            "\(countMax) event streams and waiting requests are open, the most allowed: the other connections are "
                + "left to other requests. Try again later, ask without 'Prefer: wait', or let the service take more "
                + "(--max-connections).", retryAfterSeconds: 5)
    }
}
