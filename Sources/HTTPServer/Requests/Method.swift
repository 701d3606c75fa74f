/// A request method that routes can name. Other methods are answered 405 (RFC 9110, section 9).
package enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options
    /// Any method that the service does not know.
    case other

    /// The method as it appears in a request line.
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

    /// Reads a NUL-terminated method token; methods are case-sensitive.
    init(token: UnsafePointer<CChar>) {
        for method in Method.allCases where method != .other {
            if method.name.equalsCString(token) {
                self = method
                return
            }
        }
        self = .other
    }
}

extension StaticString {
    /// Whether a NUL-terminated string has exactly these bytes.
    func equalsCString(_ other: UnsafePointer<CChar>) -> Bool {
        var index = 0
        while index < utf8CodeUnitCount {
            // A shorter `other` ends in NUL, which no name contains, so this never reads past it.
            if UInt8(bitPattern: other[index]) != utf8Start[index] { return false }
            index += 1
        }
        return other[index] == 0
    }

    /// The bytes, which live as long as the program.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }

    /// The bytes as C text; constants end in NUL.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
