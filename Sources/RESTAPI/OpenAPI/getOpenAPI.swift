import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastJSON
import HoldfastObjectStore
import HoldfastRows

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
    /// Its tag is the schema's with a hash of the text, which depends on options and the program's version
    /// too.
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
