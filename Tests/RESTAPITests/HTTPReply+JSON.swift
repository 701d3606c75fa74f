import HoldfastServiceSupport
import HoldfastTestSupport

extension HTTPClient.Reply {
    /// The body as JSON; null when it is none.
    var json: QueryJSON { QueryJSON(text) ?? .null }

    /// The ids of a page's objects.
    var ids: [Int64] { (json["objects"]?.elements ?? []).compactMap { $0["id"]?.int } }

    /// The cursor of the next page.
    var next: String? { json["next"]?.string }
}

/// A request target with parameters, escaped.
func target(_ path: String, _ parameters: [(String, String)]) -> String {
    path + "?" + parameters.map { "\($0)=\(escaped($1))" }.joined(separator: "&")
}

/// A text with everything but letters and digits percent-encoded.
func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
        switch byte {
        case 48...57, 65...90, 97...122: result.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = Array("0123456789ABCDEF")
            result += "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
        }
    }
    return result
}
