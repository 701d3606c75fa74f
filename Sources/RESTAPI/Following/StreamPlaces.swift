import HoldfastObjectJSON
import Synchronization

/// The connections that event streams and waiting polls may take: the others are left to probes and to requests that
/// are answered at once. Thread-safe.
final class StreamPlaces: Sendable {
    /// How many are taken.
    let takenCount = Atomic<Int>(0)
    private let countMax: Int

    init(_ options: RESTOptions) {
        // However few connections there are, streams get half of them.
        countMax =
            options.connectionCountMax
            - min(options.reservedConnectionCount, options.connectionCountMax / 2)
    }

    /// Takes a connection, until nobody holds what is returned.
    ///
    /// - Throws: ``RequestFault`` `.unavailable` when there is none left.
    func take() throws(RequestFault) -> Place {
        let count = takenCount.wrappingAdd(1, ordering: .relaxed).newValue
        let place = Place(places: self)
        if count > countMax { throw .tooManyStreams(countMax) }
        return place
    }

    /// A connection of a stream or a waiting poll.
    final class Place: Sendable {
        private let places: StreamPlaces

        fileprivate init(places: StreamPlaces) { self.places = places }

        deinit { places.takenCount.wrappingSubtract(1, ordering: .relaxed) }
    }
}

extension RequestFault {
    fileprivate static func tooManyStreams(_ countMax: Int) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-streams",
            "\(countMax) event streams and waiting requests are open, and no more may be: the other connections are "
                + "left to other requests. Try again later, ask without 'Prefer: wait', or let the service take more "
                + "(--max-connections).", retryAfterSeconds: 5)
    }
}
