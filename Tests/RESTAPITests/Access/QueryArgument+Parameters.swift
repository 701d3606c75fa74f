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
        case .string(let text): return quoted(text)
        case .date(let time): return "{\"$date\":\"\(time)\"}"
        case .uuid(let id): return "{\"$uuid\":\"\(id)\"}"
        case .objectID(let id): return "{\"$objectId\":\"\(id)\"}"
        case .link(let name, let key):
            return json(key).map { "{\"$link\":{\"class\":\(quoted(name)),\"id\":\($0)}}" }
        default: return nil
        }
    }
}
