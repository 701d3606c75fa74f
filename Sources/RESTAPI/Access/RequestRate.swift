import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// How often each client asks: so many requests a second, and as many at once. Thread-safe.
final class RequestRate: Sendable {
    private struct State {
        /// When each client would have had its last request, in nanoseconds, if they came evenly; what is past says nothing.
        var due: [ClientKey: UInt64] = [:]
        /// The number of clients at which those who ask no more are forgotten.
        var sweepCount = 1024
    }

    private let interval: UInt64
    private let state = Mutex(State())
    private static let second: UInt64 = 1_000_000_000

    /// Takes so many requests a second of each client; nil for 0, which takes any.
    init?(perSecond count: Int) {
        guard count > 0 else { return nil }
        interval = Self.second / UInt64(count)
    }

    /// Counts a request, and throws where it is one too many. Cost: a look-up.
    ///
    /// - Throws: ``RequestFault`` `.tooOften`; the request is not counted then.
    func count(
        _ client: ClientKey, at now: UInt64 = monotonicNanoseconds()
    ) throws(RequestFault) {
        let isTaken = state.withLock { state in
            let due = max(state.due[client] ?? 0, now) + interval
            if due > now + max(Self.second, interval) { return false }
            state.due[client] = due
            if state.due.count > state.sweepCount {
                state.due = state.due.filter { $0.value > now }
                state.sweepCount = max(1024, 2 * state.due.count)
            }
            return true
        }
        if isTaken { return }
        throw RequestFault(
            .tooOften, "too-many-requests",
            "More requests come of this token, user or address than --rate-limit allows in a second.",
            retryAfterSeconds: 1)
    }

    /// The number of clients that are known.
    var clientCount: Int { state.withLock { $0.due.count } }
}
