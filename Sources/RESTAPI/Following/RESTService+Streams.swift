import HTTPServer
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService
import Threads

extension RESTService {
    /// Answers a request for changes in the mode that it accepts: server-sent events, a page, or a page
    /// as soon as there is something to tell.
    func answerStream(_ request: Request, _ target: StreamDefinition.Target) throws(RequestFault)
        -> Outcome
    {
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        let quotesLargeInts = preferences.quotesLargeInts
        let definition = StreamDefinition(of: target, text, quotesLargeInts: quotesLargeInts)
        if try streamMode(request) == .events { return try followStream(request, definition) }
        let checked = try definition.checked(served.names(of: store.catalog.rows))
        let cursor = try streamCursor(request, isEventStream: false)
        let limit = try text.pageLimit(served.limits)
        if let version = cursor.version, version.epoch != store.epoch { throw .expiredCursor }
        let wait = min(preferences.waitSeconds ?? 0, LongPoll.secondsMax)
        guard wait > 0, cursor.canWait else {
            return answerReading { read throws(RequestFault) in
                Response(
                    changes: try self.served.page(
                        of: checked, from: cursor, limit: limit, in: read),
                    quotesLargeInts: quotesLargeInts)
            }
        }
        let number = cursor.version?.number ?? store.publisher.version
        return .later { exchange in
            self.streams.open(
                LongPoll(
                    checked, after: number, limit: limit,
                    deadline: monotonicMilliseconds() + UInt64(wait) * 1000,
                    for: (
                        WaitingExchange(
                            exchange, self, quotesLargeInts: quotesLargeInts, waitSeconds: wait),
                        self.clientKey(request)
                    )))
        }
    }

    /// Answers with events without end.
    func followStream(
        _ request: Request, _ definition: StreamDefinition
    ) throws(RequestFault) -> Outcome {
        let checked = try definition.checked(served.names(of: store.catalog.rows))
        let cursor = try streamCursor(request, isEventStream: true)
        let stream = makeEventStream()
        let subscriber = StreamSubscriber(stream, checked, clientKey(request))
        return .later { exchange in
            self.streams.open(subscriber, from: cursor) {
                exchange.respond(
                    Response(
                        following: stream, quotesLargeInts: checked.definition.quotesLargeInts))
            }
        }
    }

    /// The mode in which a client receives changes.
    enum StreamMode { case events, json }

    /// What the client accepts; JSON when it does not say.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` for neither.
    func streamMode(_ request: Request) throws(RequestFault) -> StreamMode {
        try request.accepted(of: ["application/json", "text/event-stream"])[0] == 0
            ? .json : .events
    }

    private func streamCursor(_ request: Request, isEventStream: Bool)
        throws(RequestFault) -> StreamCursor
    {
        var name = "since"
        var text = request[query: "since"]?.string
        if isEventStream, let last = request.header(.lastEventID), !last.isEmpty {
            name = "Last-Event-ID"
            text = last.string
        }
        return try text.map { text throws(RequestFault) in
            try served.streamCursor(text, name)
        } ?? .now
    }

    /// Makes a stream of events whose queue has room for every signal.
    func makeEventStream() -> EventStream {
        EventStream(
            queueByteCountMax: max(
                served.limits.streamQueueByteCountMax, Self.streamQueueByteCountMin))
    }

    /// The least bound of a stream's queue: half of it has room for every signal.
    private static let streamQueueByteCountMin = 4 << 10
}
