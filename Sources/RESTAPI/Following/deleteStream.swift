import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/streams/{id}`: ends a stream, and the connection that follows it.
    func deleteStream(_ request: Request) throws(RequestFault) -> Outcome {
        streams.end(try queryStream(request))
        return .respond(Response(204))
    }
}
