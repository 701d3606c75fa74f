import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastStreams
import HoldfastThreads

extension RESTService {
    /// Answers a request for changes in the mode that it accepts: server-sent events, a page, or a page
    /// as soon as a change comes.
    ///
    /// - `result`: The followed form of the result as a whole, for operations that follow one.
    func answerStream(
        _ request: Request, _ target: StreamDefinition.Target, result: ResultForm? = nil
    ) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        let quotesLargeInts = preferences.quotesLargeInts
        let form = result ?? text.sort.map { .list(sort: $0, limit: text.limit) }
        let eventOptions = EventOptions(
            keyPaths: request[query: "keyPaths"]?.string, tellsOld: try request.flag("old"))
        let definition = StreamDefinition(
            of: target, text, eventOptions, quotesLargeInts: quotesLargeInts, result: form,
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
        return .later { exchange in self.scheduleOutcome(for: exchange, expecting: .long, check) }
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
                "'interval' needs an event stream: send 'Accept: text/event-stream', or leave 'interval' out."
            )
        }
        if checked.isResult {
            throw text.fault(
                "sort",
                "A live list needs an event stream: send 'Accept: text/event-stream', or leave 'sort' "
                    + "out, because changes have no order.")
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
        let slot = try takeStream(for: boundedUser(request))
        if caller.visibility != nil { request.outliveEpochs() }
        return .later { exchange in
            self.streams.open(
                Follower(
                    .reply(
                        WaitingExchange(
                            exchange: exchange, service: self, slot: slot,
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
            let cursor = try self.streamCursor(request, isEventStream: true, of: checked.viewMark)
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

    /// The time in which changes are folded into one event, in milliseconds.
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
    /// - `caller`: The client of the stream.
    /// - `holder`: Lives as long as the stream.
    /// - Throws: ``RequestFault`` if its ticket opens no stream, or there are too many streams.
    func makeEventStream(
        _ request: Request, for caller: Caller, holding holder: (any Sendable)? = nil
    ) throws(RequestFault) -> EventStream {
        let slot = try takeStream(for: boundedUser(request))
        let opening = try tickets.open(request, for: caller.client)
        // Streams from before the first document have no rules.
        if caller.visibility != nil { request.outliveEpochs() }
        return EventStream(
            queueByteCountMax: max(
                served.limits.streamQueueByteCountMax, Self.streamQueueByteCountMin)
        ) { withExtendedLifetime((slot, opening, holder)) {} }
    }

    /// The least bound of a stream's queue: half of it has room for every signal.
    private static let streamQueueByteCountMin = 4 << 10

    /// `GET /v1/changes`: the changes of the whole store.
    func streamChanges(_ request: Request) throws(RequestFault) -> Outcome {
        try answerStream(request, .store)
    }

    /// `GET …/changes`: the changes of the objects that match a filter, or of their projected properties.
    func streamClassChanges(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try answerStream(request, streamTarget(request, kind))
    }

    /// The objects of the container that a request's path names, as a stream follows them.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name, `.unsupportedOperation` for a class without objects.
    func streamTarget(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> StreamDefinition.Target {
        switch kind {
        case .objectClass:
            let names = served.names(of: try rows(for: request))
            return .objects(className: try objectClass(request, names).definition.name)
        case .projection: return .projection(name: request.parameter(0).string, key: nil)
        }
    }

    /// `GET …/objects/{id}/changes`: the changes of one object, or of its projected properties. The object may come and go.
    func streamObjectChanges(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        let names = served.names(of: try rows(for: request))
        let key = UnsafeRawBufferPointer(request.parameter(1).bytes)
        switch kind {
        case .objectClass:
            let rowClass = try objectClass(request, names)
            return try answerStream(
                request,
                .object(
                    className: rowClass.definition.name,
                    key: try KeyText.value(path: key, of: rowClass)))
        case .projection:
            let projection = try names.projection(named: request.parameter(0).string)
            return try answerStream(
                request,
                .projection(
                    name: projection.definition.name,
                    key: try KeyText.value(path: key, of: projection.rowClass)))
        }
    }

    /// `GET /v1/classes/{class}/objects/{id}/properties/{property}/changes`: the changes of a property, or of the value that
    /// `path` leads to inside a `mixed` one.
    func streamPropertyChanges(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("text/event-stream")
        let rowClass = try objectClass(request, served.names(of: rows(for: request)))
        let key = try KeyText.value(
            path: UnsafeRawBufferPointer(request.parameter(1).bytes), of: rowClass)
        let text = request[query: "path"]?.string ?? ""
        guard let path = JSONPointer(text) else {
            throw .parameter(
                "path",
                "'path' is a JSON pointer (RFC 6901) into a mixed value, such as /0 or /a~1b/2.")
        }
        var shaping = QueryText()
        shaping.fields = request[query: "fields"]?.string
        shaping.expand = request[query: "expand"]?.string
        return try followStream(
            request,
            StreamDefinition(
                of: .property(
                    className: rowClass.definition.name, key: key,
                    name: request.parameter(2).string, path: path.steps.map { Array($0.utf8) },
                    projection: request[query: "projection"]?.string), shaping, EventOptions(),
                quotesLargeInts: Preferences(request).quotesLargeInts,
                intervalMilliseconds: interval(request)))
    }

    /// `GET …/aggregate/changes`: the reply of `aggregateObjects`, whenever it differs.
    func streamAggregate(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try answerStream(
            request, streamTarget(request, kind), result: .aggregate(aggregateText(request)))
    }

    /// `GET …/sections/changes`: the sections of a query's result, and their changes.
    func streamSections(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try answerStream(request, streamTarget(request, kind), result: try sections(request))
    }

    /// The sections that a request states.
    func sections(_ request: Request) throws(RequestFault) -> ResultForm {
        .sections(
            by: request[query: "by"]?.string, sort: request[query: "sort"]?.string,
            limit: try request.count("limit"), objectCount: try request.count("objects"))
    }
}
