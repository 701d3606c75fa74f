import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService
import Rows

extension RESTService {
    /// `GET /v1/classes/{class}/outbox`: what an asymmetric class took in and nobody has acknowledged,
    /// the oldest first; as a page, as a page as soon as there is anything (`Prefer: wait=`), or as
    /// events without end.
    func getOutbox(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(request, known: ["limit", "since", "minVersion"])
            let rowClass = try asymmetricClass(request, served.names(of: store.catalog.rows))
            let name = rowClass.definition.name
            let mode = try streamMode(request)
            let preferences = try Preferences(request)
            let limit = try outboxLimit(parameters)
            let version = try minVersion(parameters)
            let since = parameters["since"]?.string
            if mode == .events {
                let last = request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0.string }
                return try followOutbox(
                    clientKey(request), name, behind: last ?? since,
                    last == nil ? "since" : "Last-Event-ID",
                    preferences)
            }
            let wait = min(preferences.waitSeconds ?? 0, Self.waitSecondsMax)
            return whenAtVersion(version) {
                if wait == 0 {
                    return self.answerScheduled { () throws(RequestFault) in
                        let read = try self.served.stored { () throws(StoreError) in
                            try self.store.read()
                        }
                        defer { read.close() }
                        let (rowClass, cursor) = try self.outboxPlace(name, behind: since, in: read)
                        return Response(
                            changes: try OutboxPage(
                                rowClass, behind: cursor, in: read, self, limit: limit,
                                byteCountMax: self.served.limits.replyByteCount,
                                quotesLargeInts: preferences.quotesLargeInts, as: .document
                            ).bytes)
                    }
                }
                return self.answering { () throws(RequestFault) in
                    let read = try self.served.stored { () throws(StoreError) in
                        try self.store.read()
                    }
                    defer { read.close() }
                    let (_, cursor) = try self.outboxPlace(name, behind: since, in: read)
                    return .later { exchange in
                        self.streams.outboxes.feed(
                            OutboxFollower(
                                .poll(
                                    exchange, limit: limit,
                                    deadline: monotonicMilliseconds() + UInt64(wait) * 1000),
                                self.clientKey(exchange.request), className: name, behind: cursor,
                                quotesLargeInts: preferences.quotesLargeInts))
                    }
                }
            }
        }
    }

    /// The class of an outbox and the place to begin behind, in a view of the store.
    private func outboxPlace(_ name: String, behind text: String?, in read: ReadTransaction)
        throws(RequestFault) -> (rowClass: RowClass, cursor: OutboxCursor)
    {
        guard let rowClass = read.rows.rowClass(named: name) else {
            throw .unknownClass(name, read.rows)
        }
        guard rowClass.isAsymmetric else { throw .notAsymmetric(rowClass) }
        guard let text else {
            return (
                rowClass, OutboxCursor(classNumber: rowClass.number, epoch: store.epoch, key: 0)
            )
        }
        return (rowClass, try outboxCursor(text, "since", of: rowClass, in: read))
    }

    private func outboxLimit(_ parameters: Parameters) throws(RequestFault) -> Int {
        guard let limit = try parameters.count("limit") else {
            return served.limits.pageObjectCountDefault
        }
        guard (1...served.limits.pageObjectCountMax).contains(limit) else {
            let detail = "'limit' is a number from 1 to \(served.limits.pageObjectCountMax)."
            throw RequestFault(
                .malformed, "limit-out-of-range", detail,
                errors: [
                    RequestFault.Entry(
                        code: "limit-out-of-range", detail: detail, parameter: "limit")
                ])
        }
        return limit
    }

    private func followOutbox(
        _ clientKey: ClientKey, _ name: String, behind text: String?, _ parameter: String,
        _ preferences: Preferences
    ) throws(RequestFault) -> Outcome {
        let read = try served.stored { () throws(StoreError) in try store.read() }
        defer { read.close() }
        let start = try outboxPlace(name, behind: nil, in: read)
        var cursor = start.cursor
        var isRestored = false
        if let text {
            if let stated = OutboxCursor(text), stated.epoch != store.epoch {
                // What was acknowledged is known to the store alone, so everything is told again.
                isRestored = true
            } else {
                cursor = try outboxCursor(text, parameter, of: start.rowClass, in: read)
            }
        }
        let stream = EventStream(
            queueByteCountMax: max(
                served.limits.streamQueueByteCountMax, Self.streamQueueByteCountMin))
        let hello =
            "event: hello\ndata: {\"cursor\":\"\(cursor)\",\"heartbeat\":\(options.heartbeatSeconds)}\n\n"
        _ = stream.send(HTTPServer.Bytes(hello))
        if isRestored { _ = stream.send(StreamSignal.reset(.restored)) }
        streams.outboxes.feed(
            OutboxFollower(
                .stream(stream), clientKey, className: name, behind: cursor,
                quotesLargeInts: preferences.quotesLargeInts))
        return .respond(Response(events: stream).with(.vary, "Accept" as StaticString))
    }
}
