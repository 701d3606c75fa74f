import HoldfastHTTPServer

extension RESTService {
    /// `GET /v1/`: as `GET /`.
    func getVersionLinks(_ request: Request) -> Outcome { getLinks(request) }
}
