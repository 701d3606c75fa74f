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

    /// The schema as the caller of a request knows it. Cost: an atomic load for callers that know all of it, otherwise a view.
    func rows(for request: Request) throws(RequestFault) -> RowSchema {
        try served.visibility(of: caller(request))?.rows ?? store.catalog.rows
    }

    /// Answers a reader of a schema, or of a part of it, with 304 if the reader knows it.
    ///
    /// A user's view depends on more than the revision, so that its tag has a hash of the text too.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-None-Match` is.
    func readDefinitions(
        _ request: Request, _ rows: RowSchema, _ write: (SchemaWriter) -> Void
    ) throws(RequestFault) -> Outcome {
        let quotesLargeInts = try Preferences(request).quotesLargeInts
        let isWhole = caller(request).visibility == nil
        var tag = schemaTag(rows.definition)
        if isWhole, let known = try Response.notModified(request, tag) { return .respond(known) }
        let buffer = ByteBuffer(capacity: 4096)
        write(SchemaWriter(JSONWriter(buffer), quotesLargeInts: quotesLargeInts))
        if !isWhole {
            tag += "-" + String(SipHash128.hash(buffer.bytes).high, radix: 36)
            if let known = try Response.notModified(request, tag) { return .respond(known) }
        }
        var response = Response(200, .json, Bytes(taking: buffer)).with(entityTag: tag)
        response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        return .respond(response)
    }

    /// Makes a reply with a schema, or a class or projection of it, and the tag of the schema.
    ///
    /// - `quotesLargeInts`: Whether ints beyond 2^53 are strings.
    func schemaResponse(
        _ status: UInt16, _ schema: Schema, quotesLargeInts: Bool = false,
        _ write: (SchemaWriter) -> Void
    ) -> Response {
        var response = Response.json(status) {
            write(SchemaWriter($0, quotesLargeInts: quotesLargeInts))
        }.with(entityTag: schemaTag(schema))
        response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        return response
    }

    /// Parses a body with `read`, which collects faults.
    func readSchemaBody<Document>(
        _ request: Request, _ read: (inout SchemaReader, JSONValue) -> Document?
    ) throws(RequestFault) -> Document {
        try SchemaReader.read(try json(request), read)
    }

    /// Makes a change of the schema, or with `dryRun` reports its effects. `allowDataLoss` permits the loss of values.
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
        change.precondition = try schemaPrecondition(request)
        return answerScheduled(expecting: .long) { [change] () throws(RequestFault) in
            let buffer = ByteBuffer(capacity: 512)
            do throws(StoreError) {
                try change.preview(in: self.store, to: JSONWriter(buffer))
            } catch { throw self.fault(error, of: change) }
            return Response(200, .json, Bytes(taking: buffer))
        }
    }

    /// The precondition of a change of the schema. `If-None-Match: *` requires that the schema, class or projection to be written
    /// does not exist.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-Match` or `If-None-Match` is.
    private func schemaPrecondition(_ request: Request) throws(RequestFault) -> Precondition {
        try Precondition(request, tagged: Self.schemaTagSuffix)
    }

    /// Makes a change of the schema or of projections, and answers when it is durable.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-Match` or `If-None-Match` is.
    func change(
        _ request: Request, _ change: CatalogChange,
        answer: @escaping @Sendable (Catalog) -> Response
    ) throws(RequestFault) -> Outcome {
        var change = change
        change.precondition = try schemaPrecondition(request)
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

    /// `GET /v1/schema`
    func getSchema(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        return try readDefinitions(request, rows) { $0.write(rows.definition) }
    }

    /// `PUT /v1/schema`: compares the body with the stored schema and makes the change, or with `dryRun` reports the change.
    func putSchema(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let document = try self.readSchemaBody(request) { $0.readSchema($1) }
            let quotes = try Preferences(request).quotesLargeInts
            return try self.changeSchema(request, CatalogChange(.schema(document))) { catalog in
                self.schemaResponse(200, catalog.schema, quotesLargeInts: quotes) {
                    $0.write(catalog.schema)
                }
            }
        }
    }

    /// `GET /v1/classes`: the classes with the numbers of their objects, which the store keeps up to date. The
    /// objects that a user sees have to be counted.
    func listClasses(_ request: Request) throws(RequestFault) -> Outcome {
        let caller = caller(request)
        guard caller.visibility != nil else {
            return .respond(Self.response(to: try served.withRead(for: caller, countClasses)))
        }
        return answerFromJob { job throws(RequestFault) in
            try self.served.withRead(for: caller, in: job, self.countClasses).map {
                Self.response(to: $0)
            }
        }
    }

    private typealias ClassCounts = (version: String, classes: [(RowClass, count: Int?)])

    private func countClasses(_ read: ReadTransaction) throws(RequestFault) -> ClassCounts {
        var classes: [(RowClass, count: Int?)] = []
        for rowClass in read.rows.knownClasses {
            let isCounted = rowClass.definition.kind.standsAlone
            classes.append(
                (rowClass, isCounted ? try served.mappingStoreErrors(read.count(rowClass)) : nil))
        }
        return (try served.version(of: read).description, classes)
    }

    private static func response(to counts: ClassCounts) -> Response {
        let response = Response.object(200) { object in
            object.member("classes").objects(of: counts.classes) { counted, entry in
                let (rowClass, count) = counted
                entry.member("name").string(rowClass.definition.name)
                entry.member("kind").string(rowClass.definition.kind.rawValue)
                if let count { entry.member("count").uint(UInt64(count)) }
            }
        }
        return response.with(.holdfastVersion, counts.version)
    }

    /// `GET /v1/schema/classes/{class}`
    func getClass(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        let name = request.parameter(0).string
        guard let objectClass = rows.definition.objectClass(named: name) else {
            throw .unknownClass(name, rows)
        }
        return try readDefinitions(request, rows) { $0.write(objectClass) }
    }

    /// `PUT /v1/schema/classes/{class}`: adds or changes one class.
    func putClass(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let name = request.parameter(0).string
            let (objectClass, renames) = try self.readSchemaBody(request) { reader, root in
                reader.readClass(root, JSONPointer(), named: name).map { ($0, reader.classRenames) }
            }
            let change = CatalogChange(.objectClass(name, objectClass, renames))
            let isNew = change.isAddition(to: self.store.catalog)
            let quotes = try Preferences(request).quotesLargeInts
            return try self.changeSchema(request, change) { catalog in
                self.schemaResponse(isNew ? 201 : 200, catalog.schema, quotesLargeInts: quotes) {
                    $0.write(catalog.schema.objectClass(named: name) ?? objectClass)
                }
            }
        }
    }

    /// `PATCH /v1/schema/classes/{class}`: changes parts of one class by a merge patch.
    func patchClass(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let present = self.store.catalog
            let name = request.parameter(0).string
            guard let objectClass = present.schema.objectClass(named: name) else {
                throw .unknownClass(name, present.rows)
            }
            guard try BodyType.read(request, isPatch: true) != .jsonPatch else {
                throw RequestFault(
                    .unsupportedPatchType, "unsupported-media-type",
                    "A class is changed by a merge patch, as application/merge-patch+json or application/json.",
                    alternatives: "application/merge-patch+json, application/json")
            }
            let body = try self.served.json(request.body, RequestScratch.current.parser)
            let (patched, renames) = try ClassPatch(body, of: objectClass).read()
            var change = CatalogChange(.objectClass(patched.name, patched, renames))
            change.madeFrom = present.schema.revision
            let quotes = try Preferences(request).quotesLargeInts
            return try self.changeSchema(request, change) { catalog in
                self.schemaResponse(200, catalog.schema, quotesLargeInts: quotes) {
                    $0.write(catalog.schema.objectClass(named: patched.name) ?? patched)
                }
            }
        }
    }

    /// `DELETE /v1/schema/classes/{class}`: drops one class with its objects.
    func deleteClass(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        guard store.catalog.schema.objectClass(named: name) != nil else {
            throw .unknownClass(name, store.catalog.rows)
        }
        return try changeSchema(request, CatalogChange(.droppedClass(name))) { catalog in
            Response(204).with(entityTag: self.schemaTag(catalog.schema))
        }
    }
}
