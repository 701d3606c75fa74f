import HoldfastObjectJSON
import Synchronization

/// The streams of several queries. Each belongs to the client that made it and ends when it has had no follower for
/// some time; they are in memory alone. Thread-safe.
package final class QueryStreams: Sendable {
    private let limits: ServiceLimits
    private let streams = Mutex<[String: QueryStream]>([:])

    init(_ limits: ServiceLimits) { self.limits = limits }

    /// Makes a stream.
    ///
    /// - Throws: ``RequestFault`` `.invalid` for too many queries, `.unavailable` when there are too many streams.
    package func make(
        _ body: StreamQueriesBody, for caller: Caller
    ) throws(RequestFault) -> QueryStream {
        guard body.added.count <= limits.streamQueryCountMax else { throw .tooManyQueries(limits) }
        let stream = QueryStream(body, for: caller, limits)
        let isTaken = streams.withLock { streams in
            // Cost: a look at every stream.
            streams = streams.filter { !$0.value.isOver }
            guard streams.count < limits.queryStreamCountMax,
                streams.values.count(where: { $0.client == stream.client })
                    < limits.tokenStreamCountMax,
                hasRoom(for: body.added, of: caller, among: streams)
            else { return false }
            streams[stream.id] = stream
            return true
        }
        guard isTaken else { throw .tooManyStreams(limits) }
        return stream
    }

    private func hasRoom(
        for queries: [FollowedQuery], of caller: Caller, among streams: [String: QueryStream]
    ) -> Bool {
        let added = queries.reduce(0) { $0 + $1.byteCount }
        func byteCount(of streams: some Sequence<QueryStream>) -> Int {
            streams.reduce(added) { $0 + $1.byteCount }
        }
        guard byteCount(of: streams.values) <= limits.queryStreamByteCountMax else { return false }
        // One user, or visitor, leaves room for others.
        if caller.sight == nil { return true }
        return byteCount(of: streams.values.lazy.filter { $0.client == caller.client })
            <= limits.userQueryStreamByteCountMax
    }

    /// The stream of an id.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when it has ended, never was, or is another client's.
    package func find(_ id: String, of caller: Caller) throws(RequestFault) -> QueryStream {
        let stream = streams.withLock { streams in
            if streams[id]?.isOver ?? false { streams[id] = nil }
            return streams[id]
        }
        guard let stream, stream.owner == caller.token else { throw .streamNotFound(limits) }
        return stream
    }

    /// Changes the queries of a stream of a caller.
    ///
    /// - Returns: The generation that it has by that.
    /// - Throws: ``RequestFault`` as ``make(_:for:)``.
    package func change(
        _ stream: QueryStream, of caller: Caller, removing names: [String],
        adding added: [FollowedQuery]
    ) throws(RequestFault) -> Int {
        guard streams.withLock({ hasRoom(for: added, of: caller, among: $0) }) else {
            throw .tooManyStreams(limits)
        }
        return try stream.change(removing: names, adding: added)
    }

    /// Forgets a stream.
    package func remove(_ stream: QueryStream) { streams.withLock { $0[stream.id] = nil } }
}

extension RequestFault {
    fileprivate static func streamNotFound(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .notFound, "stream-not-found",
            "You have no such stream: a stream of several queries ends when nobody has followed it for "
                + "\(limits.streamReturnSeconds) s, and with the service. Make it again with POST /v1/streams, and "
                + "follow it with 'since' set to the last id that you have.")
    }

    static func tooManyQueries(_ limits: ServiceLimits) -> RequestFault {
        .single(
            .invalid, "too-many-queries",
            "A stream has at most \(limits.streamQueryCountMax) queries (--max-stream-queries): remove some, or make "
                + "another stream.", pointer: "/queries")
    }

    fileprivate static func tooManyStreams(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-streams",
            "There may be \(limits.tokenStreamCountMax) streams of several queries of one token or user and "
                + "\(limits.queryStreamCountMax) in all, with \(limits.queryStreamByteCountMax) bytes of queries, of one user with "
                + "\(limits.userQueryStreamByteCountMax). Delete those that you do not need, or try again when others "
                + "have ended.",
            retryAfterSeconds: max(1, limits.streamReturnSeconds))
    }
}
