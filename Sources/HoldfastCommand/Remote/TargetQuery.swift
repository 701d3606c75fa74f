/// The query of a request's target.
struct TargetQuery {
    private(set) var text = ""

    /// Adds a parameter.
    mutating func add(_ name: String, _ value: String) {
        text += (text.isEmpty ? "?" : "&") + name + "=" + Self.encoded(value)
    }

    /// A text with every byte escaped that is not unreserved (RFC 3986, section 2.3).
    static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(UnicodeScalar(byte))
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
