import HoldfastHTTPServer
import HoldfastObjectJSON
extension RESTService {
    /// `GET /v1/schema/classes/{class}`
    func getClass(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        let name = request.parameter(0).string
        guard let objectClass = rows.definition.objectClass(named: name) else {
            throw .unknownClass(name, rows)
        }
        return try readDefinitions(request, rows) { SchemaWriter($0).write(objectClass) }
    }
}
