import HoldfastHTTPServer
import HoldfastObjectJSON
extension RESTService {
    /// `GET /v1/schema`
    func getSchema(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        return try readDefinitions(request, rows) { SchemaWriter($0).write(rows.definition) }
    }
}
