import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads

extension RESTService {
    /// Answers a request for changes in the mode that it accepts: server-sent events, a page, or a page
    /// as soon as there is something to tell.
    ///
    /// - `result`: What is followed of the result as a whole, where the operation says so.
    func answerStream(
        _ request: Request, _ target: StreamDefinition.Target, result: ResultForm? = nil
    ) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        let quotesLargeInts = preferences.quotesLargeInts
        let form = result ?? text.sort.map { .list(sort: $0, limit: text.limit) }
        let telling = StreamTelling(
            keyPaths: request[query: "keyPaths"]?.string, tellsOld: try request.flag("old"))
        let definition = StreamDefinition(
            of: target, text, telling, quotesLargeInts: quotesLargeInts, result: form,
            intervalMilliseconds: try interval(request))
        if result != nil { try request.requireAccepted("text/event-stream") }
        let isEventStream = result == nil ? try acceptsEvents(request) : true
        if isEventStream { return try followStream(request, definition) }
        return try checking(request, definition) { checked throws(RequestFault) in
            try self.answerPoll(request, checked, text, preferences)
        }
    }

    /// Checks a definition and continues with it: at once, or on a thread of the scheduler if that takes long.
    private func checking(
        _ request: Request, _ definition: StreamDefinition,
        _ body: @escaping @Sendable (CheckedStream) throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        let check = { @Sendable () throws(RequestFault) -> Outcome in
            try body(definition.checked(self.served, for: self.caller(request)))
        }
        guard definition.isLong else { return try check() }
        return .later { exchange in self.decide(for: exchange, expecting: .long, check) }
    }

    /// Answers with a page of changes, at once or as soon as changes occur.
    private func answerPoll(
        _ request: Request, _ checked: CheckedStream, _ text: QueryText, _ preferences: Preferences
    ) throws(RequestFault) -> Outcome {
        let caller = caller(request)
        let definition = checked.definition
        let quotesLargeInts = definition.quotesLargeInts
        if definition.intervalMilliseconds > 0 {
            throw .parameter(
                "interval",
                "An interval is for events: ask for them with 'Accept: text/event-stream', or leave 'interval' out."
            )
        }
        if checked.isResult {
            throw text.fault(
                "sort",
                "A live list is told by events: ask for it with 'Accept: text/event-stream', or leave 'sort' "
                    + "out, for changes have no order.")
        }
        let cursor = try streamCursor(request, isEventStream: false, of: checked.viewMark)
        let limit = try text.pageLimit(served.limits)
        if let version = cursor.version, version.epoch != store.epoch { throw .otherEpochCursor }
        let wait = min(preferences.waitSeconds ?? 0, Follower.waitSecondsMax)
        guard wait > 0, cursor.canWait else {
            return answerFromJob { job throws(RequestFault) in
                try self.served.page(
                    of: checked, from: cursor, limit: limit, for: caller, in: job
                ).map { Response(changes: $0, quotesLargeInts: quotesLargeInts) }
            }
        }
        let number = cursor.version?.number ?? store.publisher.version
        let place = try places.take(for: boundedUser(request))
        if caller.sight != nil { request.outliveEpochs() }
        return .later { exchange in
            self.streams.open(
                Follower(
                    .reply(
                        WaitingExchange(
                            exchange: exchange, service: self, place: place,
                            quotesLargeInts: quotesLargeInts, waitSeconds: wait),
                        limit: limit, deadline: monotonicMilliseconds() + UInt64(wait) * 1000),
                    checked, caller, after: number))
        }
    }

    /// Answers with events without end.
    func followStream(
        _ request: Request, _ definition: StreamDefinition
    ) throws(RequestFault) -> Outcome {
        try checking(request, definition) { checked throws(RequestFault) in
            let caller = self.caller(request)
            let cursor = try self.streamCursor(
                request, isEventStream: true, of: checked.viewMark)
            let stream = try self.makeEventStream(request, for: caller)
            let follower = Follower(.events(stream), checked, caller)
            let response = Response(
                following: stream, quotesLargeInts: checked.definition.quotesLargeInts)
            return .later { exchange in
                self.streams.open(follower, from: cursor) { exchange.respond(response) }
            }
        }
    }

    /// Whether the client accepts events rather than JSON; not when it does not say.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` for neither, `.unauthenticated` for JSON with a ticket.
    func acceptsEvents(_ request: Request) throws(RequestFault) -> Bool {
        let offered: [StaticString] = ["application/json", "text/event-stream"]
        if try request.accepted(of: offered)[0] == 1 { return true }
        if request[query: StreamTickets.parameter] != nil {
            throw .single(
                .unauthenticated, "ticket-invalid",
                "A ticket opens a stream of events only: send 'Accept: text/event-stream', or a token without the "
                    + "ticket.", parameter: "ticket")
        }
        return false
    }

    /// How long what happens is folded into one event, in milliseconds.
    func interval(_ request: Request) throws(RequestFault) -> Int {
        guard let interval = try request.count("interval") else { return 0 }
        guard StreamDefinition.intervals.contains(interval) else {
            throw .parameter("interval", StreamDefinition.intervalRule)
        }
        return interval
    }

    /// Where the client of a stream stands.
    ///
    /// - `mark`: Names its view, see ``CheckedStream/viewMark``.
    func streamCursor(
        _ request: Request, isEventStream: Bool, of mark: String
    ) throws(RequestFault) -> StreamCursor {
        var name = "since"
        var text = request[query: "since"]?.string
        if isEventStream, let last = request.header(.lastEventID), !last.isEmpty {
            name = "Last-Event-ID"
            text = last.string
        }
        return try text.map { text throws(RequestFault) in
            try served.streamCursor(text, name, of: mark)
        } ?? .now
    }

    /// Makes the stream of events that a request asks for, whose queue has room for every signal.
    ///
    /// - `caller`: Its client, as the stream is going to be told.
    /// - `holder`: Lives as long as the stream.
    /// - Throws: ``RequestFault`` when its ticket opens none, or there are too many.
    func makeEventStream(
        _ request: Request, for caller: Caller, holding holder: (any Sendable)? = nil
    ) throws(RequestFault) -> EventStream {
        let place = try places.take(for: boundedUser(request))
        let opening = try tickets.open(request, for: caller.client)
        // Those of before there was a document keep to none.
        if caller.sight != nil { request.outliveEpochs() }
        return EventStream(
            queueByteCountMax: max(
                served.limits.streamQueueByteCountMax, Self.streamQueueByteCountMin)
        ) { withExtendedLifetime((place, opening, holder)) {} }
    }

    /// The least bound of a stream's queue: half of it has room for every signal.
    private static let streamQueueByteCountMin = 4 << 10
}
