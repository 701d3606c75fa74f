import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/classes/{class}/objects/{id}/properties/{property}/changes`: what becomes of a property, or of what
    /// `path` leads to inside a `mixed` one.
    func streamPropertyChanges(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("text/event-stream")
        let rowClass = try objectClass(request, served.names(of: rows(for: request)))
        let key = try KeyText.value(
            path: UnsafeRawBufferPointer(request.parameter(1).bytes), of: rowClass)
        let text = request[query: "path"]?.string ?? ""
        guard let path = JSONPointer(text) else {
            throw .parameter(
                "path",
                "'path' is a JSON pointer (RFC 6901) into a mixed value, such as /0 or /a~1b/2.")
        }
        var shaping = QueryText()
        shaping.fields = request[query: "fields"]?.string
        shaping.expand = request[query: "expand"]?.string
        return try followStream(
            request,
            StreamDefinition(
                of: .property(
                    className: rowClass.definition.name, key: key,
                    name: request.parameter(2).string, path: path.steps.map { Array($0.utf8) },
                    projection: request[query: "projection"]?.string),
                shaping, StreamTelling(),
                quotesLargeInts: Preferences(request).quotesLargeInts,
                intervalMilliseconds: interval(request)))
    }
}
