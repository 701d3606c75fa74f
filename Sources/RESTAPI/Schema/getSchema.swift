import HTTPServer
extension RESTService {
    /// `GET /v1/schema`
    func getSchema(_ request: Request) -> Outcome {
        do { try Parameters.refuseAll(request) } catch { return .respond(response(error)) }
        let schema = store.catalog.schema
        if let tags = request.header(.ifNoneMatch), Self.names(tags.string, schemaTag(schema)) {
            return .respond(Response(304).with(.etag, schemaTag(schema)))
        }
        return .respond(schemaResponse(200, schema) { $0.write(schema) })
    }
}
