import HTTPServer
import ObjectModel

extension RESTService {
    /// `GET /v1/schema/classes/{class}`
    func getClass(_ request: Request) -> Outcome {
        let schema = store.catalog.schema
        let name = request.parameter(0).string
        guard let objectClass = schema.objectClass(named: name) else {
            return .respond(response(unknownClass(name, schema)))
        }
        if let tags = request.header(.ifNoneMatch), Self.names(tags.string, schemaTag(schema)) {
            return .respond(Response(304).with(.etag, schemaTag(schema)))
        }
        return .respond(schemaResponse(200, schema) { $0.write(objectClass) })
    }

    /// 404 for a class that the schema lacks.
    func unknownClass(_ name: String, _ schema: Schema) -> Problem {
        Problem(
            404, "unknown-class", "The schema has no class '\(name)'.",
            errors: [
                Problem.Fault(
                    code: "unknown-class", detail: "The schema has no class '\(name)'.",
                    parameter: "class",
                    hint: NearestName.of(name, among: schema.classes.map(\.name)))
            ])
    }
}
