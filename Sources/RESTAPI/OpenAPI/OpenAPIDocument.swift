import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import Synchronization

/// An OpenAPI 3.1 document of a store: one set of operations for each of its classes, with the class's own
/// schemas (https://spec.openapis.org/oas/v3.1.0).
///
/// It is made from the schema only and shows nothing of the stored objects. Its size grows with the number of properties.
struct OpenAPIDocument {
    /// The classes.
    let schema: Schema
    var projections: [Projection] = []
    /// The components that belong to no class.
    let components: OpenAPIComponents
    /// Whether requests need a token.
    let usesTokens: Bool

    func write(to writer: JSONWriter) {
        let schemas = OpenAPISchemas(
            classes: OpenAPIClasses(
                schema, projections: projections, reserved: OpenAPIComponents.schemaNames))
        let classes = schemas.classes
        let served = classes.all.filter(\.hasOperations)
        var tagNames = OpenAPINames()
        for entry in classes.all + classes.projections.map(\.entry) {
            _ = tagNames.unique(entry.definition.name)
        }
        let transactionTag = tagNames.unique("transactions")
        var tags: [(name: String, description: String)] = served.map { entry in
            let name = entry.definition.name
            return (name, "The objects of class `\(name)`.")
        }
        for shown in classes.projections where shown.entry.hasOperations {
            let (name, className) = (shown.definition.name, shown.definition.className)
            tags.append(
                (name, "The objects of class `\(className)` as projection `\(name)` shows them."))
        }
        if !served.isEmpty {
            tags.append((transactionTag, "Objects of several classes in one request."))
        }
        writer.object { object in
            object.member("openapi").string("3.1.0")
            object.member("info").object { info in
                info.member("title").string("Holdfast")
                info.member("version").string("\(schema.revision)")
                info.member("description").string(Self.description)
            }
            object.member("servers").raw(##"[{"url":"/"}]"##)
            object.member("tags").objects(of: tags) { tag, object in
                object.member("name").string(tag.name)
                object.member("description").string(tag.description)
            }
            object.member("paths").object { paths in
                let writer = OpenAPIPaths(schemas, usesTokens: usesTokens)
                for entry in served { writer.write(entry, to: &paths) }
                for shown in classes.projections where shown.entry.hasOperations {
                    writer.write(shown, to: &paths)
                }
                if !served.isEmpty { writer.writeTransactions(tag: transactionTag, to: &paths) }
            }
            object.member("components").object { writeComponents(schemas, served, to: &$0) }
        }
    }

    private static let description =
        "The objects of one store, class by class, made by Holdfast \(ServiceVersion.text) from the "
        + "store's schema; `info.version` is the schema's revision. What is the same in every store "
        + "(the schema, changes of the whole store, errors, limits) is in Holdfast's own openapi.yaml."

    private func writeComponents(
        _ schemas: OpenAPISchemas, _ served: [OpenAPIClass], to object: inout JSONObjectWriter
    ) {
        let classes = schemas.classes
        let template = components.template
        object.member("schemas").object { list in
            for entry in classes.all { schemas.write(entry, to: &list) }
            for shown in classes.projections { schemas.write(shown, to: &list) }
            template.write("schemas", to: &list)
        }
        object.member("examples").object { list in
            let examples = OpenAPIExamples(schemas: schemas)
            for entry in served { examples.write(entry, to: &list) }
            for shown in classes.projections where shown.entry.hasOperations {
                examples.write(shown, to: &list)
            }
        }
        for group: StaticString in ["parameters", "headers", "responses"] {
            object.member(group).object { template.write(group, to: &$0) }
        }
        if usesTokens {
            object.member("securitySchemes").raw(
                ##"{"bearerToken":{"type":"http","scheme":"bearer","description":"A token made by `holdfast token create`."}}"##
            )
        }
    }
}

extension RESTService {
    /// `GET /v1/openapi.json`: the interface of this store's own classes.
    func getOpenAPI(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        let usesTokens = needsToken
        if let document = openAPI.document(of: rows, usesTokens: usesTokens) {
            return .respond(try Self.reply(document, request))
        }
        // A store may have a thousand classes of a thousand properties.
        return answerScheduled { () throws(RequestFault) in
            let document = self.openAPIDocument(of: rows, usesTokens: usesTokens)
            self.openAPI.keep(document, of: rows, usesTokens: usesTokens)
            return try Self.reply(document, request)
        }
    }

    private static func reply(
        _ document: OpenAPICache.Document, _ request: Request
    ) throws(RequestFault) -> Response {
        try .notModified(request, document.tag)
            ?? Response(200, .json, document.bytes).with(entityTag: document.tag)
    }

    /// Makes the document of a schema.
    ///
    /// Its tag is the schema's with a hash of the text, which depends on options and the program's version too.
    private func openAPIDocument(of rows: RowSchema, usesTokens: Bool) -> OpenAPICache.Document {
        let buffer = ByteBuffer(capacity: 64 << 10)
        let document = OpenAPIDocument(
            schema: rows.definition, projections: rows.projections,
            components: OpenAPIComponents(
                pageObjectCountMax: served.limits.pageObjectCountMax,
                pageObjectCountDefault: served.limits.pageObjectCountDefault),
            usesTokens: usesTokens)
        document.write(to: JSONWriter(buffer))
        let version = StoreVersion(epoch: store.epoch, number: rows.definition.revision)
        let hash = String(SipHash128.hash(buffer.bytes).high, radix: 36)
        return OpenAPICache.Document(
            bytes: Bytes(taking: buffer), tag: "\(version)-openapi-\(hash)")
    }
}

/// A cache of the documents generated last, for the store's schema and for the schemas that users know. Thread-safe.
final class OpenAPICache: Sendable {
    /// A document as it is sent.
    struct Document: Sendable {
        let bytes: Bytes
        /// Its entity tag, without quotes.
        let tag: String
    }

    private struct Entry {
        let rows: RowSchema
        let usesTokens: Bool
        let document: Document
    }

    /// A larger document is made for each request, so that it holds memory only while it is sent.
    private static let byteCountMax = 8 << 20

    /// Oldest first.
    private let entries = Mutex<[Entry]>([])

    /// The document of a schema, if the cache has it.
    func document(of rows: RowSchema, usesTokens: Bool) -> Document? {
        entries.withLock { entries in
            entries.first { $0.rows === rows && $0.usesTokens == usesTokens }?.document
        }
    }

    /// Stores a document, in the place of older ones where there would be too much.
    func keep(_ document: Document, of rows: RowSchema, usesTokens: Bool) {
        guard document.bytes.count <= Self.byteCountMax else { return }
        entries.withLock { entries in
            entries.removeAll { $0.rows === rows && $0.usesTokens == usesTokens }
            entries.append(Entry(rows: rows, usesTokens: usesTokens, document: document))
            var byteCount = entries.reduce(0) { $0 + $1.document.bytes.count }
            while byteCount > Self.byteCountMax {
                byteCount -= entries.removeFirst().document.bytes.count
            }
        }
    }
}
