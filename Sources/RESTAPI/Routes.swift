import HTTPServer

extension RESTService {
    /// Every endpoint, in the order of the contract; a test fails when this and `openapi.yaml` differ.
    package func routes() -> [Route] {
        []
    }
}
