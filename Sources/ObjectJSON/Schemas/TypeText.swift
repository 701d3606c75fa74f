import HoldfastObjectModel

/// A type in shorthand: a name, then `?` for an optional value, then `[]`, `<>` or `{}` for a collection.
struct TypeText: Equatable {
    /// The shapes that a name can be put into.
    enum Shape: String {
        case single = ""
        case list = "[]"
        case set = "<>"
        case map = "{}"

        /// Reads the shape at the end of a type.
        init(endOf text: Substring) {
            self = Shape(rawValue: String(text.suffix(2))) ?? .single
        }
    }

    /// The name of a scalar type or of a class.
    package var name: String
    /// Whether `?` follows the name.
    var isOptional = false
    /// The collection, if it is one.
    var shape = Shape.single
    /// Whether `?` follows the collection, which is never right.
    var hasOptionalShape = false

    /// Reads a type; nil for text that has another form.
    init?(_ text: String) {
        var rest = Substring(text)
        if rest.hasSuffix("?"), Shape(endOf: rest.dropLast()) != .single {
            hasOptionalShape = true
            rest.removeLast()
        }
        shape = Shape(endOf: rest)
        if shape != .single { rest.removeLast(2) }
        if rest.hasSuffix("?") {
            isOptional = true
            rest.removeLast()
        }
        guard !rest.isEmpty, !rest.contains(where: { "?[]<>{}".contains($0) }) else { return nil }
        name = String(rest)
    }
}
