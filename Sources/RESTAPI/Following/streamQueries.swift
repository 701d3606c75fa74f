import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/streams/{id}`: what happens to the results of all queries of a stream.
    func streamQueries(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("text/event-stream")
        let stream = try queryStream(request)
        let caller = caller(request)
        let mark = try served.sight(of: caller)?.mark ?? ""
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
