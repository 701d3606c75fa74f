import HoldfastBytes
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// Several queries that one client follows on one connection. Thread-safe.
package final class QueryStream: Sendable {
    /// The id: 22 characters of base64url, of random bytes.
    package let id = RandomID.make()
    /// The number of the token that it belongs to; nil if no token is needed.
    let owner: UInt64?
    /// The client to which its use of limits is charged.
    let client: ClientKey
    /// Whether the client is a user or an anonymous visitor.
    let isUser: Bool
    /// Whether ints beyond 2^53 are sent as strings.
    package let quotesLargeInts: Bool
    /// The time for which changes are folded into one event, in milliseconds.
    let intervalMilliseconds: Int

    private struct State {
        var queries: [FollowedQuery]
        /// The number of times that its queries were changed.
        var generation = 0
        /// The time since when it has waited for a follower, in nanoseconds of the monotonic clock; nil while it has one.
        var waitingSince: UInt64? = monotonicNanoseconds()
        /// Whether it has ended because it had no follower.
        var isEnded = false
    }
    private let state: Mutex<State>
    private let limits: ServiceLimits

    init(_ body: StreamQueriesBody, for caller: Caller, isUser: Bool, _ limits: ServiceLimits) {
        owner = caller.token
        client = caller.client
        self.isUser = isUser
        quotesLargeInts = body.quotesLargeInts
        intervalMilliseconds = body.intervalMilliseconds
        self.limits = limits
        state = Mutex(State(queries: body.added))
    }

    /// Its queries, in the order in which they were added.
    package var queries: [FollowedQuery] { state.withLock { $0.queries } }

    var byteCount: Int { state.withLock { $0.queries.reduce(0) { $0 + $1.byteCount } } }

    /// The time since when it has waited for a follower, in nanoseconds of the monotonic clock; nil while it has one.
    var waitingSince: UInt64? { state.withLock { $0.waitingSince } }

    /// Ends it if it has had no follower for too long, so that it cannot be followed any more.
    ///
    /// - Returns: Whether it has ended.
    func endIfOver() -> Bool { endIfUnfollowed(for: UInt64(limits.streamReturnSeconds)) }

    /// Ends it if it has had no follower for some seconds.
    ///
    /// - Returns: Whether it has ended.
    func endIfUnfollowed(for seconds: UInt64 = 0) -> Bool {
        state.withLock { state in
            if let since = state.waitingSince,
                (monotonicNanoseconds() &- since) / 1_000_000_000 >= seconds
            {
                state.isEnded = true
            }
            return state.isEnded
        }
    }

    /// Removes queries and adds others. An added query replaces the query of the same name.
    ///
    /// - Returns: The new generation of the stream, and of each added query.
    /// - Throws: ``RequestFault`` `.invalid` if there are too many.
    func change(
        removing names: [String], adding added: [FollowedQuery]
    ) throws(RequestFault) -> Int {
        for query in added { query.knownFrom = .max }
        let generation: Int? = state.withLock { state in
            let replaced = Set(texts: names + added.map(\.name))
            let queries = state.queries.filter { !replaced.contains($0.name) } + added
            guard queries.count <= limits.streamQueryCountMax else { return nil }
            state.generation += 1
            for query in added { query.generation = state.generation }
            state.queries = queries
            return state.generation
        }
        guard let generation else { throw .tooManyQueries(limits) }
        return generation
    }

    // MARK: Its follower

    /// Begins to follow it, for as long as the returned object lives.
    ///
    /// - Throws: ``RequestFault`` `.conflict` while it has a follower, `.notFound` if it has ended.
    package func follow() throws(RequestFault) -> Lease {
        let (isEnded, isFree) = state.withLock { state in
            let found = (state.isEnded, state.waitingSince != nil)
            if !state.isEnded { state.waitingSince = nil }
            return found
        }
        if isEnded { throw .streamNotFound(limits) }
        guard isFree else {
            throw RequestFault(
                .conflict, "stream-in-use",
                "The stream is followed on another connection. Try again once that has ended, or make another one "
                    + "with POST /v1/streams.")
        }
        return Lease { self.state.withLock { $0.waitingSince = monotonicNanoseconds() } }
    }
}
