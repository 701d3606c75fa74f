/// A request method that routes can name. Anything else is answered 405 (RFC 9110, section 9).
package enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options
    /// Any method that the service does not know.
    case other

    /// The method as it stands in a request line.
    package var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: "OTHER"
        }
    }

    /// Reads a method token; methods are case-sensitive.
    init(_ token: UnsafeBufferPointer<UInt8>) {
        let token = RequestText(token)
        for method in Method.allCases where method != .other {
            if token == method.name {
                self = method
                return
            }
        }
        self = .other
    }
}

extension StaticString {
    /// The bytes, which live as long as the program.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
