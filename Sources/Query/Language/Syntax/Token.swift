/// One word of a query: its kind and its position. The ``Lexer`` has its text.
struct Token {
    /// The kind of a token. Several spellings can be one kind: `&&` and `AND`, `=` and `==`.
    enum Kind: Equatable {
        case end
        case identifier
        // Logic and quantifiers.
        case and, or, not, any, all, none, truePredicate, falsePredicate
        // Comparisons.
        case comparison(ComparisonOperator)
        case inList, between, geoWithin
        case flagC, flagD, flagCD
        // Suffixes.
        case sort, distinct, limit, ascending, descending
        // Constants and their constructors.
        case null, infinity, nan, trueValue, falseValue
        case natural, number, float, string, base64, objectID, uuid, timestamp
        case argument, keyPathArgument
        case binary, object, subquery, geoBox, geoPolygon, geoCircle
        // Parts of paths.
        case first, last, size
        case links, operation
        // Signs.
        case leftParenthesis, rightParenthesis, leftBracket, rightBracket, leftBrace, rightBrace
        case comma, dot, plus, minus, star, slash
    }

    var kind: Kind
    /// The offset of its first byte in the text.
    var start: Int
    /// The offset behind its last byte.
    var end: Int
    /// The number of an argument.
    var index = 0

    /// Whether the word may name a property although it is a keyword elsewhere.
    var canBeName: Bool {
        switch kind {
        case .comparison(let comparison): comparison.isTextual
        case .identifier, .between, .inList, .sort, .distinct, .limit, .ascending, .descending,
            .binary, .first, .last, .size:
            true
        default: false
        }
    }

    /// The operations that may follow an `@`.
    static let operations: [String: Syntax.Step.Kind] = [
        "count": .count, "size": .count, "min": .aggregate(.min), "max": .aggregate(.max),
        "sum": .aggregate(.sum), "avg": .aggregate(.average), "links": .links, "type": .type,
        "keys": .keys, "values": .values,
    ]
}
