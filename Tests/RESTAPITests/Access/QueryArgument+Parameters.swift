import HoldfastBytes
import HoldfastObjectModel
import HoldfastQuery
import HoldfastServiceSupport

extension QueryArgument {
    /// The parameters of a URL that hand over a query's arguments; nil where one has no form here.
    static func parameters(_ arguments: [QueryArgument]) -> [(String, String)]? {
        var found: [(String, String)] = []
        for argument in arguments {
            if argument.isPlainText, case .string(let text) = argument.value {
                found.append(("text", text))
            } else if let json = json(argument.value) {
                found.append(("arg", json))
            } else {
                return nil
            }
        }
        return found
    }

    private static func json(_ value: Value) -> String? {
        switch value {
        case .null: return "null"
        case .bool(let truth): return "\(truth)"
        case .int(let number): return "\(number)"
        case .double(let number): return form("$double", number, number.isFinite)
        case .float(let number): return form("$float", number, number.isFinite)
        case .decimal(let number): return "{\"$decimal\":\"\(number)\"}"
        case .string(let text): return quoted(text)
        case .data(let bytes): return "{\"$data\":\"\(base64(bytes))\"}"
        case .date(let time): return "{\"$date\":\"\(time)\"}"
        case .uuid(let id): return "{\"$uuid\":\"\(id)\"}"
        case .objectID(let id): return "{\"$objectId\":\"\(id)\"}"
        case .link(let name, let key):
            return json(key).map { "{\"$link\":{\"class\":\(quoted(name)),\"id\":\($0)}}" }
        case .list(let values):
            let elements = values.compactMap { json($0) }
            return elements.count == values.count ? "[\(elements.joined(separator: ","))]" : nil
        case .map: return nil
        }
    }

    private static func form(
        _ name: String, _ number: some BinaryFloatingPoint, _ isFinite: Bool
    ) -> String {
        if isFinite { return "{\"\(name)\":\(number)}" }
        let text = number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
        return "{\"\(name)\":\"\(text)\"}"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let buffer = ByteBuffer(capacity: 16)
        bytes.withUnsafeBytes { Base64.encode($0, into: buffer) }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }
}
