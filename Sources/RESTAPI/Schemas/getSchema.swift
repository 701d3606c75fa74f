import HoldfastHTTPServer
import HoldfastObjectJSON
extension RESTService {
    /// `GET /v1/schema`
    func getSchema(_ request: Request) throws(RequestFault) -> Outcome {
        let schema = store.catalog.schema
        return .respond(
            try .notModified(request, schemaTag(schema))
                ?? schemaResponse(200, schema) { $0.write(schema) })
    }
}
