import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

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
                    exchange.respond(
                        Response(stream: stream, generation: generation, status: 200))
                }
            }
        }
    }
}
