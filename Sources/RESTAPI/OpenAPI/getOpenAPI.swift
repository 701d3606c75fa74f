import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension RESTService {
    /// `GET /v1/openapi.json`: the interface of this store's own classes.
    ///
    /// Its tag has a hash of the text beside the schema's revision, since it depends on options and the program's version too.
    func getOpenAPI(_ request: Request) throws(RequestFault) -> Outcome {
        let rows = try rows(for: request)
        let document = OpenAPIDocument(
            schema: rows.definition, projections: rows.projections,
            components: OpenAPIComponents(
                pageObjectCountMax: served.limits.pageObjectCountMax,
                pageObjectCountDefault: served.limits.pageObjectCountDefault),
            usesTokens: needsToken)
        let version = StoreVersion(epoch: store.epoch, number: rows.definition.revision)
        // A store may have a thousand classes of a thousand properties.
        return answerScheduled { () throws(RequestFault) in
            try .hashed(request, "\(version)-openapi") { document.write(to: $0) }
        }
    }
}
