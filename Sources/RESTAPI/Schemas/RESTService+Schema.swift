import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

// Shared parts of the operations on the schema and on projections.
extension RESTService {
    /// The ending of a schema's tag, so that no object's tag equals it.
    private static let schemaTagSuffix = "-schema"

    /// Returns the entity tag of a schema: the store's epoch and the schema's revision. Without quotes.
    func schemaTag(_ schema: Schema) -> String {
        "\(CatalogChange.version(of: schema, in: store))\(Self.schemaTagSuffix)"
    }

    /// The schema as the caller of a request knows it. Cost: an atomic load for those who know all of it, else a view.
    func rows(for request: Request) throws(RequestFault) -> RowSchema {
        try served.sight(of: caller(request))?.rows ?? store.catalog.rows
    }

    /// Answers a reader of a schema, or of a part of it, with 304 when it is what it knows.
    ///
    /// A user's view depends on more than the revision, so that its tag has a hash of the text too.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-None-Match` is.
    func readDefinitions(
        _ request: Request, _ rows: RowSchema, _ write: (JSONWriter) -> Void
    ) throws(RequestFault) -> Outcome {
        var tag = schemaTag(rows.definition)
        guard caller(request).sight != nil else {
            return .respond(
                try .notModified(request, tag) ?? Response.json(200, write).with(entityTag: tag))
        }
        let buffer = ByteBuffer(capacity: 4096)
        write(JSONWriter(buffer))
        tag += "-" + String(SipHash128.hash(buffer.bytes).high, radix: 36)
        return .respond(
            try .notModified(request, tag)
                ?? Response(200, .json, Bytes(taking: buffer)).with(entityTag: tag))
    }

    /// Makes a reply with a schema, or a class or projection of it, and the tag of the schema.
    func schemaResponse(
        _ status: UInt16, _ schema: Schema, _ write: (JSONWriter) -> Void
    ) -> Response {
        Response.json(status, write).with(entityTag: schemaTag(schema))
    }

    /// Parses a body with `read`, which collects faults.
    func readSchemaBody<Document>(
        _ request: Request, _ read: (inout SchemaReader, JSONValue) -> Document?
    ) throws(RequestFault) -> Document {
        try SchemaReader.read(try json(request), read)
    }

    /// Makes a change of the schema, or with `dryRun` reports what it would do; `allowDataLoss` lets values go.
    ///
    /// - `answer`: Makes the reply, of the catalog after the change.
    func changeSchema(
        _ request: Request, _ change: CatalogChange,
        answer: @escaping @Sendable (Catalog) -> Response
    ) throws(RequestFault) -> Outcome {
        var change = change
        change.allowsDataLoss = try request.flag("allowDataLoss")
        guard try request.flag("dryRun") else {
            return try self.change(request, change, answer: answer)
        }
        return answerScheduled(expecting: .long) { [change] () throws(RequestFault) in
            let buffer = ByteBuffer(capacity: 512)
            do throws(StoreError) {
                try change.preview(in: self.store, to: JSONWriter(buffer))
            } catch {
                throw self.fault(error, of: change)
            }
            return Response(200, .json, Bytes(taking: buffer))
        }
    }

    /// Makes a change of the schema or of projections, and answers when it is durable.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-Match` or `If-None-Match` is.
    func change(
        _ request: Request, _ change: CatalogChange,
        answer: @escaping @Sendable (Catalog) -> Response
    ) throws(RequestFault) -> Outcome {
        var change = change
        // `If-None-Match: *` requires that the schema, class or projection to be written does not exist.
        change.precondition = try Precondition(request, tagged: Self.schemaTagSuffix)
        let audit = auditLine(request)
        return .later { [change] exchange in
            change.start(in: self.store) { result in
                if case .success = result { audit.write() }
                exchange.respond {
                    switch result {
                    case .success((let catalog, let version)):
                        answer(catalog).with(.holdfastVersion, version.description)
                    case .failure(let error): self.response(self.fault(error, of: change))
                    }
                }
            }
        }
    }

    /// Makes the fault of a failed change; reports the details that clients are not told.
    private func fault(_ error: StoreError, of change: CatalogChange) -> RequestFault {
        if case .storage = error { return served.fault(error) }
        return change.fault(error)
    }
}
