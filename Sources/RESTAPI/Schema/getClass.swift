import HTTPServer
extension RESTService {
    /// `GET /v1/schema/classes/{class}`
    func getClass(_ request: Request) -> Outcome {
        do { try Parameters.refuseAll(request) } catch { return .respond(response(error)) }
        let schema = store.catalog.schema
        let name = request.parameter(0).string
        guard let objectClass = schema.objectClass(named: name) else {
            return .respond(response(.unknownClass(name, store.catalog.rows)))
        }
        if let tags = request.header(.ifNoneMatch), Self.names(tags.string, schemaTag(schema)) {
            return .respond(Response(304).with(.etag, schemaTag(schema)))
        }
        return .respond(schemaResponse(200, schema) { $0.write(objectClass) })
    }
}
