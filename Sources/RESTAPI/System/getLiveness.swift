import HoldfastHTTPServer
extension RESTService {
    /// `GET /health/live`: the process answers.
    func getLiveness(_ request: Request) -> Outcome {
        return .respond(Response(200, .json, Bytes("{\"status\":\"ok\"}" as StaticString)))
    }
}
