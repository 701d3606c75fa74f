import HoldfastHTTPServer
import HoldfastStoreService

/// Where a request names its object.
enum KeySource: Sendable {
    /// `…/objects/{id}`
    case path
    /// `…/object?key=<JSON>`
    case parameter
}

extension ObjectAddress {
    /// Reads what names an object in a request.
    init(_ request: Request, _ source: KeySource) {
        var key = Key.missing
        if source == .path {
            key = .text(UnsafeRawBufferPointer(request.parameter(1).bytes))
        } else if let text = request[query: "key"] {
            key = .json(UnsafeRawBufferPointer(text.bytes))
        }
        self.init(request.className, key, of: request)
    }
}

extension Request {
    /// The body, which the request holds.
    var bodyBytes: RequestBytes { RequestBytes(body, of: self) }
}
