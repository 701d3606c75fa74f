import HTTPServer
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

extension RESTService {
    /// The least bound of a stream's queue: half of it has room for every signal.
    static let streamQueueByteCountMin = 4 << 10
    /// The longest wait of a long poll, in seconds.
    static let waitSecondsMax = 60

    /// Answers a request for changes in the mode that it accepts: server-sent events, a page, or a page
    /// as soon as there is something to tell.
    func answerStream(_ request: Request, _ target: StreamDefinition.Target) throws(RequestFault)
        -> Outcome
    {
        let parameters = try Parameters(
            request, known: target.parameters, repeatable: ["arg", "text"])
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        var definition = StreamDefinition(target: target)
        definition.filter = text.filter
        definition.arguments = text.arguments
        definition.fields = text.fields
        definition.expand = text.expand
        definition.quotesLargeInts = preferences.quotesLargeInts
        if text.filter == nil, !text.arguments.isEmpty {
            throw text.fault("arg", "Arguments are given, but no filter that uses them.")
        }
        let names = served.names(of: store.catalog.rows)
        let checked = try definition.checked(names)
        let mode = try streamMode(request)
        let cursor = try streamCursor(request, parameters, isEventStream: mode == .events)
        if mode == .events { return try openStream(request, checked, cursor) }
        return try answerPage(
            checked, cursor, try CheckedQuery.limit(text, served.limits), preferences)
    }

    /// How a client wants to be told what happens.
    enum StreamMode { case events, json }

    /// What the client accepts; JSON when it does not say.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` for neither.
    func streamMode(_ request: Request) throws(RequestFault) -> StreamMode {
        try request.accepted(of: ["application/json", "text/event-stream"])[0] == 0
            ? .json : .events
    }

    private func streamCursor(_ request: Request, _ parameters: Parameters, isEventStream: Bool)
        throws(RequestFault) -> StreamCursor
    {
        var name = "since"
        var text = parameters["since"]?.string
        if isEventStream, let last = request.header(.lastEventID), !last.isEmpty {
            name = "Last-Event-ID"
            text = last.string
        }
        guard let text else { return .now }
        guard let cursor = StreamCursor(text) else {
            throw .parameter(
                name,
                "'\(name)' is 'now', 'start' or a cursor that a stream has sent, such as "
                    + "\(store.version).")
        }
        if let version = cursor.version, version.epoch == store.epoch,
            version.number > store.publisher.version
        {
            // A stream may have told of a commit just before the store did.
            let read = try served.stored { () throws(StoreError) in try store.read() }
            defer { read.close() }
            let present = try served.stored { () throws(StoreError) in try read.state().version }
            if version.number > present { throw .futureCursor(name) }
        }
        return cursor
    }

    private func openStream(
        _ request: Request, _ query: CheckedStream, _ cursor: StreamCursor
    ) throws(RequestFault) -> Outcome {
        let start: StreamHub.Start
        switch cursor {
        case .now: start = .now
        case .start: start = .start
        case .after(let version), .within(let version, _):
            start = version.epoch == store.epoch ? .after(version.number) : .restored
        case .snapshot(let version, _):
            start = version.epoch == store.epoch ? .start : .restored
        }
        let stream = EventStream(
            queueByteCountMax: max(
                served.limits.streamQueueByteCountMax, Self.streamQueueByteCountMin))
        streams.open(StreamSubscriber(stream, query, clientKey(request)), from: start)
        return .respond(Response(events: stream).with(.vary, "Accept" as StaticString))
    }

    private func answerPage(
        _ checked: CheckedStream, _ cursor: StreamCursor, _ limit: Int, _ preferences: Preferences
    ) throws(RequestFault) -> Outcome {
        if let version = cursor.version, version.epoch != store.epoch { throw .expiredCursor }
        switch cursor {
        case .start:
            let first = ObjectIdentity(classIndex: checked.observed.classIndex ?? 0, key: 0)
            return answerReading { read throws(RequestFault) in
                try self.snapshotPage(checked, in: read, begunAt: nil, from: first, limit: limit)
            }
        case .snapshot(let version, let identity):
            return answerReading { read throws(RequestFault) in
                try self.snapshotPage(
                    checked, in: read, begunAt: version, from: identity, limit: limit)
            }
        case .within(let version, let part):
            return answerReading { read throws(RequestFault) in
                try self.changePage(
                    checked, after: version.number, part, limit: limit, in: read
                ).response
            }
        case .now, .after:
            let number = cursor.version?.number ?? store.publisher.version
            let wait = min(preferences.waitSeconds ?? 0, Self.waitSecondsMax)
            if wait > 0 {
                return .later { exchange in
                    self.streams.open(
                        LongPoll(
                            exchange, checked, version: number, limit: limit,
                            deadline: monotonicMilliseconds() + UInt64(wait) * 1000))
                }
            }
            return answerReading { read throws(RequestFault) in
                try self.changePage(checked, after: number, nil, limit: limit, in: read).response
            }
        }
    }
}

extension StreamDefinition.Target {
    /// The parameters that a stream of this takes.
    fileprivate var parameters: [StaticString] {
        switch self {
        case .store: ["since", "limit"]
        case .objects: ["filter", "arg", "text", "fields", "expand", "since", "limit"]
        case .object: ["fields", "expand", "since", "limit"]
        case .projection(_, nil): ["filter", "arg", "text", "fields", "since", "limit"]
        case .projection: ["fields", "since", "limit"]
        }
    }
}
