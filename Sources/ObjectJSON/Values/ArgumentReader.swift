import HoldfastJSON
import HoldfastObjectModel
import HoldfastQuery

/// Reads a query's arguments from JSON, in the forms that a `mixed` value has.
package enum ArgumentReader {
    /// The greatest depth of lists in an argument.
    private static let depthMax = 8

    /// Reads the argument that a JSON value stands for; nil if it stands for no argument.
    ///
    /// A plain string may stand for a date, a UUID, an object identifier or data, depending on the type that the query
    /// compares it with.
    package static func argument(_ json: JSONValue) -> QueryArgument? {
        guard let value = MixedText.value(json, depthMax: depthMax, takesLargeIntegers: true)
        else { return nil }
        return QueryArgument(
            value, isPlainText: holds(json) { $0.kind == .string },
            hasLargeIntegers: holds(json, \.isBigInteger))
    }

    /// Counts the values of an argument, or of a list of them, up to `max`.
    package static func valueCount(_ json: JSONValue, upTo max: Int) -> Int {
        var count = 1
        func add(_ part: JSONValue) -> Bool {
            count += valueCount(part, upTo: max - count)
            return count < max
        }
        switch json.kind {
        case .array: for element in json.elements where !add(element) { break }
        case .object: for member in json.members where !add(member.value) { break }
        default: break
        }
        return count
    }

    /// The limit that JSON exceeds as an argument; nil if it does not have the form of one.
    package static func exceededLimit(_ json: JSONValue, depth: Int = 0) -> String? {
        switch json.kind {
        case .string:
            guard let text = json.stringBytes, text.count > ModelLimits.valueByteCountMax else {
                return nil
            }
            return
                "A text in an argument has at most \(ModelLimits.valueByteCountMax) bytes, like a stored "
                + "one; state its beginning, for BEGINSWITH."
        case .double where json.isBigInteger && ScalarText.decimal(json) == nil:
            return
                "A whole number beyond 64 bits has at most 34 digits in an argument; state it with an exponent, such as "
                + "1e40, to compare it as a double."
        case .array, .object:
            guard depth < depthMax else {
                return
                    "Lists and objects in an argument nest at most \(depthMax) levels deep; state fewer."
            }
            func first(_ parts: some Sequence<JSONValue>) -> String? {
                for part in parts {
                    if let limit = exceededLimit(part, depth: depth + 1) { return limit }
                }
                return nil
            }
            return json.kind == .array
                ? first(json.elements) : first(json.members.lazy.map { $0.value })
        default: return nil
        }
    }

    /// Whether a value, or an element of a list, satisfies a condition.
    private static func holds(_ json: JSONValue, _ condition: (JSONValue) -> Bool) -> Bool {
        json.kind == .array ? json.elements.contains(where: condition) : condition(json)
    }
}
