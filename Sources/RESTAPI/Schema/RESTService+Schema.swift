import HTTPServer
import JSON
import ObjectModel
import ObjectStore

// What the operations on the schema share.
extension RESTService {
    /// The entity tag of a schema: the store's epoch and the schema's revision, marked so that no
    /// object's tag equals it.
    func schemaTag(_ schema: Schema) -> String {
        "\"\(StoreVersion(epoch: store.epoch, number: schema.revision))-schema\""
    }

    /// A reply with a schema or one class of it, and the headers that go with it.
    func schemaResponse(
        _ status: UInt16, _ schema: Schema, _ write: (SchemaWriter) -> Void
    ) -> Response {
        Response.json(status) { write(SchemaWriter($0)) }.with(.etag, schemaTag(schema))
    }

    /// 412 when the request's `If-Match` does not name the present schema; nil when all is well.
    ///
    /// The writer asks again, with the revision, so that nothing can come between.
    func schemaPrecondition(_ tags: String?, _ schema: Schema) -> Problem? {
        guard let tags, !Self.names(tags, schemaTag(schema)) else { return nil }
        return Problem(
            412, "precondition-failed",
            "The schema is not the one that If-Match names; read it again and repeat the change.")
    }

    /// Whether a list of entity tags has `tag` or is `*`.
    static func names(_ tags: String, _ tag: String) -> Bool {
        tags.split(separator: ",").contains { part in
            let name = part.drop { $0 == " " || $0 == "\t" }
            let end = name.lastIndex { $0 != " " && $0 != "\t" }
            let trimmed = end.map { name[...$0] } ?? ""
            return trimmed == "*" || trimmed == tag || trimmed == "W/" + tag
        }
    }

    /// Parses a body with `read`, which collects faults.
    func readSchemaBody<Document>(
        _ request: Request, _ read: (inout SchemaReader, JSONValue) -> Document?
    ) throws(Problem) -> Document {
        _ = try BodyType.read(request)
        let root = try json(request, RequestScratch.current.parser)
        var reader = SchemaReader()
        if let document = read(&reader, root) { return document }
        // A repeated name is malformed JSON for this service, whatever else is wrong.
        if let repeated = reader.faults.first(where: { $0.code == "duplicate-name" }) {
            throw Problem(400, "duplicate-name", repeated.detail, errors: reader.faults)
        }
        throw Problem(
            422, "invalid-schema", "The schema has \(reader.faults.count) fault(s); nothing was changed.",
            errors: reader.faults)
    }

    /// The problem that a failed schema change is.
    ///
    /// - Parameter place: Where the class of a name stands in the body.
    func schemaProblem(_ error: StoreError, place: (String) -> JSONPointer?) -> Problem {
        var reader = SchemaReader()
        switch error {
        case .invalidSchema(let faults):
            reader.add(faults, place: place)
            return Problem(
                422, "invalid-schema", "The schema has \(faults.count) fault(s); nothing was changed.",
                errors: reader.faults)
        case .unsupportedMigration(let faults):
            reader.add(faults, place: place)
            return Problem(
                409, "unsupported-migration",
                "This change of the schema is not one that can be made; nothing was changed. Classes, "
                    + "properties and indexes can be added, and indexes dropped.",
                errors: reader.faults.map { fault in
                    var fault = fault
                    fault.code = "unsupported-migration"
                    return fault
                })
        case .schemaRevision(let current):
            return Problem(
                409, "schema-revision",
                "The schema was made from another revision than the present one, \(current); read it "
                    + "again and repeat the change.")
        default: return problem(error)
        }
    }

    /// Reads the parameters of a schema change; true for a dry run.
    func readSchemaParameters(_ request: Request) throws(Problem) -> Bool {
        let parameters = try Parameters(request, known: ["dryRun", "allowDataLoss"])
        if try parameters.flag("allowDataLoss") {
            throw Problem(
                409, "unsupported-migration",
                "Changes that lose data are not supported yet; leave allowDataLoss out.",
                errors: [
                    Problem.Fault(
                        code: "not-supported", detail: "This parameter is not supported yet.",
                        parameter: "allowDataLoss")
                ])
        }
        return try parameters.flag("dryRun")
    }

    /// Tells what a change would do.
    func dryRun(_ proposed: Schema, place: (String) -> JSONPointer?) throws(Problem) -> Response {
        let present = store.catalog.schema
        do throws(StoreError) {
            try store.checkSchema(proposed)
            let transaction = try store.read()
            defer { transaction.close() }
            let steps = SchemaDifference.all(from: present, to: proposed)
            var counts: [String: Int] = [:]
            for name in Set(steps.compactMap(\.className)) {
                counts[name] = try transaction.rows.rowClass(named: name).map(transaction.count) ?? 0
            }
            return Response.json(200) {
                SchemaDifference.write(steps, objectCount: { counts[$0] ?? 0 }, to: $0)
            }
        } catch {
            throw schemaProblem(error, place: place)
        }
    }
}
