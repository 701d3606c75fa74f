import HoldfastHTTPServer
import HoldfastObjectJSON
extension RESTService {
    /// `GET /v1/schema/classes/{class}`
    func getClass(_ request: Request) throws(RequestFault) -> Outcome {
        let schema = store.catalog.schema
        let name = request.parameter(0).string
        guard let objectClass = schema.objectClass(named: name) else {
            throw .unknownClass(name, store.catalog.rows)
        }
        return .respond(
            try .notModified(request, schemaTag(schema))
                ?? schemaResponse(200, schema) { $0.write(objectClass) })
    }
}
