import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastStreams

extension RESTService {
    /// `POST /v1/streams`: a stream of several queries, which one connection follows.
    func createStream(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let preferences = try Preferences(request)
        _ = try BodyType.read(request)
        let isLong = request.body.count > QueryText.inlineByteCountMax
        return try reading(request, isLong: isLong) { () throws(RequestFault) in
            let body = try self.statedQueries(
                request, of: nil, quotesLargeInts: preferences.quotesLargeInts)
            let stream = try self.streams.queryStreams.make(
                body, for: self.caller(request), isUser: self.boundedUser(request) != nil)
            var response = Response(stream: stream, generation: 0, status: 201)
            response.headers.add(.location, "/v1/streams/\(stream.id)")
            response.headers.addApplied(quotesLargeInts: preferences.quotesLargeInts)
            return .respond(response)
        }
    }

    /// Reads the queries that a body states, and the names that it removes from a changed stream.
    func statedQueries(
        _ request: Request, of patched: QueryStream?, quotesLargeInts: Bool = false
    ) throws(RequestFault) -> StreamQueriesBody {
        try StreamQueriesBody(
            served.json(request.body, RequestScratch.current.parser, isQuery: true),
            byteCount: request.body.count, of: patched, for: caller(request),
            quotesLargeInts: quotesLargeInts, served)
    }

    /// The stream that the path names, if it is the caller's.
    func queryStream(_ request: Request) throws(RequestFault) -> QueryStream {
        try streams.queryStreams.find(request.parameter(0).string, of: caller(request))
    }
}

extension Response {
    /// A stream of several queries, with the generation that a request has led to.
    init(stream: QueryStream, generation: Int, status: UInt16) {
        self = .object(status) { object in
            object.member("id").string(stream.id)
            object.member("generation").int(Int64(generation))
            object.member("queries").strings(stream.queries.map(\.name))
        }
    }
}

extension RESTService {
    /// `PATCH /v1/streams/{id}`: adds queries to a stream and removes others, also while it is followed.
    func patchStream(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let stream = try queryStream(request)
        _ = try BodyType.read(request)
        let isLong = request.body.count > QueryText.inlineByteCountMax
        return try reading(request, isLong: isLong) { () throws(RequestFault) in
            let body = try self.statedQueries(request, of: stream)
            let generation = try self.streams.queryStreams.change(
                stream, removing: body.removed, adding: body.added)
            return .later { exchange in
                self.streams.update(stream) {
                    exchange.respond(Response(stream: stream, generation: generation, status: 200))
                }
            }
        }
    }

    /// `DELETE /v1/streams/{id}`: ends a stream, and the connection that follows it.
    func deleteStream(_ request: Request) throws(RequestFault) -> Outcome {
        streams.end(try queryStream(request))
        return .respond(Response(204))
    }

    /// `GET /v1/streams/{id}`: the changes of the results of all queries of a stream.
    func streamQueries(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("text/event-stream")
        let stream = try queryStream(request)
        let caller = caller(request)
        let mark = try served.visibility(of: caller)?.mark ?? ""
        let cursor = try streamCursor(request, isEventStream: true, of: mark)
        let following = try stream.follow()
        let events = try makeEventStream(request, for: caller, holding: following)
        return .later { exchange in
            self.streams.open(stream, to: events, for: caller, from: cursor) {
                exchange.respond(
                    Response(following: events, quotesLargeInts: stream.quotesLargeInts))
            }
        }
    }
}
