import HTTPServer
import StoreService

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
        } else if let text = request.value(of: "key") {
            key = .json(text)
        }
        self.init(request.className, key, of: request)
    }
}

extension Request {
    /// The value of a parameter in the query; nil when it is not there.
    func value(of name: StaticString) -> UnsafeRawBufferPointer? {
        for (known, value) in query where known == name {
            return UnsafeRawBufferPointer(value.bytes)
        }
        return nil
    }

    /// The body, which the request holds.
    var bodyBytes: RequestBytes { RequestBytes(body, of: self) }
}
