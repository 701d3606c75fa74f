import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

// What the operations on the schema share.
extension RESTService {
    /// The entity tag of a schema: the store's epoch and the schema's revision, marked so that no
    /// object's tag equals it. Without quotes.
    func schemaTag(_ schema: Schema) -> String {
        "\(StoreVersion(epoch: store.epoch, number: schema.revision))-schema"
    }

    /// A reply with a schema or one class of it, and the headers that go with it.
    func schemaResponse(
        _ status: UInt16, _ schema: Schema, _ write: (SchemaWriter) -> Void
    ) -> Response {
        Response.json(status) { write(SchemaWriter($0)) }.with(entityTag: schemaTag(schema))
    }

    /// Checks a request's `If-Match` on the writer's thread, where nothing can come between.
    ///
    /// - Throws: ``StoreError`` `.preconditionFailed` when it does not name the present schema.
    func requireSchema(_ tags: EntityTags?, _ present: Schema) throws(StoreError) {
        guard let tags, !tags.matchesStrongly(schemaTag(present)) else { return }
        throw .preconditionFailed(Precondition.Failure(current: nil))
    }

    /// Parses a body with `read`, which collects faults.
    func readSchemaBody<Document>(
        _ request: Request, _ read: (inout SchemaReader, JSONValue) -> Document?
    ) throws(RequestFault) -> Document {
        _ = try BodyType.read(request)
        return try SchemaReader.read(
            try served.json(request.body, RequestScratch.current.parser), read)
    }

    /// The problem of a failed change; what clients are not told is logged.
    func schemaProblem(_ error: StoreError, place: (SchemaPlace) -> JSONPointer?) -> RequestFault {
        if case .storage = error { return served.fault(error) }
        return SchemaProblem.make(error, place: place)
    }

    /// Reads the parameters of a schema change.
    func readSchemaParameters(_ request: Request) throws(RequestFault) -> SchemaParameters {
        let parameters = try Parameters(request, known: ["dryRun", "allowDataLoss"])
        return SchemaParameters(
            isDryRun: try parameters.flag("dryRun"),
            allowsDataLoss: try parameters.flag("allowDataLoss"))
    }

    /// Tells what a change would do. Objects may have to be read for it.
    func dryRun(
        _ proposal: SchemaProposal, place: @escaping @Sendable (SchemaPlace) -> JSONPointer?
    ) -> Outcome {
        answerScheduled(expecting: .long) { () throws(RequestFault) in
            let steps: [SchemaStep]
            do throws(StoreError) {
                steps = try self.store.previewSchema(proposal)
            } catch {
                throw self.schemaProblem(error, place: place)
            }
            return Response.json(200) { MigrationPreview.write(steps, to: $0) }
        }
    }
}
