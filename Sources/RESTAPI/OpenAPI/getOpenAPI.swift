import Bytes
import HTTPServer
import JSON
import ObjectStore
import Rows

extension RESTService {
    /// `GET /v1/openapi.json`: the interface of this store's own classes.
    func getOpenAPI(_ request: Request) -> Outcome {
        do { try Parameters.refuseAll(request) } catch { return .respond(response(error)) }
        let catalog = store.catalog
        let usesTokens = tokens?.isEnforced ?? false
        let known = request.header(.ifNoneMatch)?.string
        if let document = openAPI.document(of: catalog, usesTokens: usesTokens) {
            return .respond(Self.reply(document, known))
        }
        // A store may have a thousand classes of a thousand properties.
        return answerOnWorker {
            let document = self.openAPIDocument(of: catalog, usesTokens: usesTokens)
            self.openAPI.keep(document, of: catalog, usesTokens: usesTokens)
            return Self.reply(document, known)
        }
    }

    private static func reply(_ document: OpenAPICache.Document, _ known: String?) -> Response {
        if let known, names(known, document.tag) {
            return Response(304).with(.etag, document.tag)
        }
        return Response(200, .json, document.bytes).with(.etag, document.tag)
    }

    /// Makes the document of a catalog.
    ///
    /// Its tag is the schema's with a hash of the text, which depends on options and the program's version
    /// too.
    private func openAPIDocument(of catalog: Catalog, usesTokens: Bool) -> OpenAPICache.Document {
        let buffer = ByteBuffer(capacity: 64 << 10)
        let document = OpenAPIDocument(
            schema: catalog.schema, projections: catalog.projections,
            components: OpenAPIComponents(
                pageObjectCountMax: options.pageObjectCountMax,
                pageObjectCountDefault: options.pageObjectCountDefault),
            usesTokens: usesTokens)
        document.write(to: JSONWriter(buffer))
        let version = StoreVersion(epoch: store.epoch, number: catalog.schema.revision)
        let hash = String(SipHash128.hash(buffer.bytes).high, radix: 36)
        let (base, count) = buffer.takeStorage()
        return OpenAPICache.Document(
            bytes: HTTPServer.Bytes(adopting: base, count: count),
            tag: "\"\(version)-openapi-\(hash)\"")
    }
}
