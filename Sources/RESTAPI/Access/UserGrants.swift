import HoldfastHTTPServer
import HoldfastStoreService

/// The grants of a user who has signed in: a wait for the end of a write is not cut, as one for a reply is.
struct UserGrants: Sendable {
    var reading: Grant
    var writing: Grant

    /// Makes both.
    init(_ make: (_ isForReading: Bool) -> Grant) {
        reading = make(true)
        writing = make(false)
    }

    /// The grant of requests that need a right.
    func grant(needing right: Right) -> Grant { right <= .read ? reading : writing }

    /// Has both end later by themselves.
    func extend(until end: Int64) {
        reading.extend(until: end)
        writing.extend(until: end)
    }

    /// Ends both.
    func end(_ reason: Grant.End) {
        reading.end(reason)
        writing.end(reason)
    }
}
