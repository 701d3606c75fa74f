import HoldfastHTTPServer

extension RESTService {
    /// `GET /`: where to go on from the address alone; it reveals nothing of the store.
    func getLinks(_ request: Request) -> Outcome {
        let links: StaticString = """
            {"name":"holdfast","links":{"service":"/v1","openapi":"/v1/openapi.json",\
            "schema":"/v1/schema","classes":"/v1/classes","changes":"/v1/changes","metrics":"/metrics",\
            "live":"/health/live","ready":"/health/ready"}}
            """
        return .respond(Response(200, .json, Bytes(links)))
    }
}
