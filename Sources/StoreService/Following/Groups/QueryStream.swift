import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows
import Synchronization
import HoldfastThreads

/// Several queries that one client follows on one connection. Thread-safe.
package final class QueryStream: Sendable {
    /// The id: 22 characters of base64url, of random bytes.
    package let id = RandomID.make()
    /// The number of the token that it belongs to; nil where none is needed.
    let owner: UInt64?
    /// Whose bounds it counts to.
    let client: ClientKey
    /// Whether ints beyond 2^53 are told as strings.
    package let quotesLargeInts: Bool
    /// How long what happens is folded into one event.
    let intervalMilliseconds: Int

    private struct State {
        var queries: [FollowedQuery]
        /// How often its queries were changed.
        var generation = 0
        /// Until when somebody has to follow it, in milliseconds of the monotonic clock; nil while somebody does.
        var deadline: UInt64?
    }
    private let state: Mutex<State>
    private let limits: ServiceLimits

    init(_ body: StreamQueriesBody, for caller: Caller, _ limits: ServiceLimits) {
        owner = caller.token
        client = caller.client
        quotesLargeInts = body.quotesLargeInts
        intervalMilliseconds = body.intervalMilliseconds
        self.limits = limits
        state = Mutex(State(queries: body.added, deadline: Self.deadline(limits)))
    }

    private static func deadline(_ limits: ServiceLimits) -> UInt64 {
        monotonicMilliseconds() + UInt64(limits.streamReturnSeconds) * 1000
    }

    /// Its queries, in the order in which they were added.
    package var queries: [FollowedQuery] { state.withLock { $0.queries } }

    /// The bytes of their texts.
    var byteCount: Int { state.withLock { $0.queries.reduce(0) { $0 + $1.byteCount } } }

    /// Whether it has had no follower for too long.
    var isOver: Bool {
        let deadline = state.withLock { $0.deadline }
        return deadline.map { monotonicMilliseconds() >= $0 } ?? false
    }

    /// Removes queries and adds others, each in the place of the one of its name.
    ///
    /// - Returns: The generation that the stream has by that, and each query that it adds.
    /// - Throws: ``RequestFault`` `.invalid` when there are too many.
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

    /// Begins to follow it, as long as the returned object lives.
    ///
    /// - Throws: ``RequestFault`` `.conflict` while somebody does.
    package func follow() throws(RequestFault) -> Lease {
        let isFree = state.withLock { state in
            defer { state.deadline = nil }
            return state.deadline != nil
        }
        guard isFree else {
            throw RequestFault(
                .conflict, "stream-in-use",
                "The stream is followed on another connection. Try again once that has ended, or make another one "
                    + "with POST /v1/streams.")
        }
        return Lease { self.state.withLock { $0.deadline = Self.deadline(self.limits) } }
    }
}

extension QueryStream {
    /// Whether all queries were checked against a schema, and for those who have a view of a name.
    package func isChecked(under schema: RowSchema, viewMark: String) -> Bool {
        queries.allSatisfy { query in
            query.checked.names.schema.identity == schema.identity
                && query.checked.viewMark == viewMark
        }
    }

    /// Refuses queries that the present schema has no place for any more. Cost: the checking of each; for a worker.
    ///
    /// - Throws: ``RequestFault`` that names the first such query.
    package func check(_ served: ServedStore, for caller: Caller) throws(RequestFault) {
        for query in queries {
            do throws(RequestFault) {
                _ = try served.withRead(for: caller) { read throws(RequestFault) in
                    try query.checked.under(read, served)
                }
            } catch {
                var fault = error.ofQuery
                fault.detail =
                    "Query '\(query.name)' is not valid any more; replace or remove it with PATCH. "
                    + fault.detail
                throw fault
            }
        }
    }
}
