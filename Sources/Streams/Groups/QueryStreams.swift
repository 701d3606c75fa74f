import HoldfastObjectJSON
import HoldfastStoreService
import Synchronization

/// The streams of several queries. Each belongs to the client that made it and ends when it has had no follower for some time.
/// They are only in memory. Thread-safe.
package final class QueryStreams: Sendable {
    private let limits: ServiceLimits
    private let streams = Mutex<[String: QueryStream]>([:])

    init(_ limits: ServiceLimits) { self.limits = limits }

    /// Makes a stream. If there are too many, the streams that have waited longest for a follower end.
    ///
    /// - `isUser`: Whether the caller is a user or an anonymous visitor. Only some of their streams may wait for a follower.
    /// - Throws: ``RequestFault`` `.invalid` for too many queries, `.unavailable` if too many streams are followed.
    package func make(
        _ body: StreamQueriesBody, for caller: Caller, isUser: Bool
    ) throws(RequestFault) -> QueryStream {
        guard body.added.count <= limits.streamQueryCountMax else { throw .tooManyQueries(limits) }
        let stream = QueryStream(body, for: caller, isUser: isUser, limits)
        let isTaken = streams.withLock { streams in
            let added = Usage(count: 1, waitingCount: 1, byteCount: stream.byteCount)
            guard makeRoom(for: added, of: stream, among: &streams) else { return false }
            streams[stream.id] = stream
            return true
        }
        guard isTaken else { throw .tooManyStreams(limits) }
        return stream
    }

    /// The number of some streams, the number of them that wait for a follower, and the bytes of their queries.
    private struct Usage {
        var count = 0
        var waitingCount = 0
        var byteCount = 0

        func fits(_ bounds: Usage) -> Bool {
            count <= bounds.count && waitingCount <= bounds.waitingCount
                && byteCount <= bounds.byteCount
        }
    }

    /// The bounds of all streams, or of one client's streams.
    private func bounds(ofClient isOfClient: Bool, isUser: Bool) -> Usage {
        guard isOfClient else {
            return Usage(
                count: limits.queryStreamCountMax, waitingCount: .max,
                byteCount: limits.queryStreamByteCountMax)
        }
        // A user leaves room for others.
        return Usage(
            count: limits.tokenStreamCountMax,
            waitingCount: isUser ? limits.userWaitingStreamCountMax : .max,
            byteCount: isUser ? limits.userQueryStreamByteCountMax : .max)
    }

    /// Ends streams that wait for a follower, the oldest first, until there is room for more of a client: first the client's own,
    /// as far as its own bounds require it, then streams of all clients. Cost: a look at every stream, and n log n in the waiting
    /// streams if there is no room.
    ///
    /// - `stream`: The stream that needs the room. It does not end.
    /// - Returns: Whether there is room. If the followed streams leave no room, nothing ends.
    private func makeRoom(
        for added: Usage, of stream: QueryStream, among streams: inout [String: QueryStream]
    ) -> Bool {
        streams = streams.filter { !$0.value.endIfOver() }
        for isOfClient in [true, false] {
            let bounds = bounds(ofClient: isOfClient, isUser: stream.isUser)
            var used = added
            var followed = added
            var waiting: [(since: UInt64, stream: QueryStream, byteCount: Int)] = []
            for other in streams.values where !isOfClient || other.client == stream.client {
                let byteCount = other.byteCount
                used.count += 1
                used.byteCount += byteCount
                if let since = other.waitingSince {
                    used.waitingCount += 1
                    if other !== stream {
                        waiting.append((since, other, byteCount))
                        continue
                    }
                }
                followed.count += 1
                followed.byteCount += byteCount
            }
            if used.fits(bounds) { continue }
            guard followed.fits(bounds) else { return false }
            waiting.sort { $0.since < $1.since }
            for (_, other, byteCount) in waiting where !used.fits(bounds) {
                guard other.endIfUnfollowed() else { continue }
                streams[other.id] = nil
                used.count -= 1
                used.waitingCount -= 1
                used.byteCount -= byteCount
            }
            // Some streams may have found a follower meanwhile.
            guard used.fits(bounds) else { return false }
        }
        return true
    }

    /// The stream with an id.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if it has ended, never was, or belongs to another client.
    package func find(_ id: String, of caller: Caller) throws(RequestFault) -> QueryStream {
        let stream = streams.withLock { streams in
            if streams[id]?.endIfOver() ?? false { streams[id] = nil }
            return streams[id]
        }
        guard let stream, stream.owner == caller.token else { throw .streamNotFound(limits) }
        return stream
    }

    /// Changes the queries of a stream.
    ///
    /// - Returns: The stream's new generation.
    /// - Throws: ``RequestFault`` as ``make(_:for:isUser:)``.
    package func change(
        _ stream: QueryStream, removing names: [String], adding added: [FollowedQuery]
    ) throws(RequestFault) -> Int {
        let byteCount = added.reduce(0) { $0 + $1.byteCount }
        let hasRoom = streams.withLock { streams in
            makeRoom(for: Usage(byteCount: byteCount), of: stream, among: &streams)
        }
        guard hasRoom else { throw .tooManyStreams(limits) }
        return try stream.change(removing: names, adding: added)
    }

    /// Forgets a stream.
    package func remove(_ stream: QueryStream) { streams.withLock { $0[stream.id] = nil } }
}

extension RequestFault {
    static func streamNotFound(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .notFound, "stream-not-found",
            "You have no such stream. A stream of several queries ends when it has had no follower for "
                + "\(limits.streamReturnSeconds) s, when others need its room, and when the service stops. "
                + "Make it again with POST /v1/streams; follow it with your last id as 'since'.")
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
            "One token or user may have \(limits.tokenStreamCountMax) streams of several queries, with "
                + "\(limits.userQueryStreamByteCountMax) bytes of queries, and all together \(limits.queryStreamCountMax), with "
                + "\(limits.queryStreamByteCountMax) bytes. Delete streams that you do not need, or try "
                + "again when others have ended.",
            retryAfterSeconds: max(1, limits.streamReturnSeconds))
    }
}
