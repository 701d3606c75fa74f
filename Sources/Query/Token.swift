import ObjectModel

/// One word of a query.
struct Token {
    /// What a token is. Several spellings can be one kind: `&&` and `AND`, `=` and `==`.
    enum Kind: UInt8 {
        case end
        case identifier
        // Logic and quantifiers.
        case and, or, not, any, all, none, truePredicate, falsePredicate
        // Comparisons.
        case equal, notEqual, less, lessEqual, greater, greaterEqual, inList
        case beginsWith, endsWith, contains, like, text, between, geoWithin
        case flagC, flagD, flagCD
        // Suffixes.
        case sort, distinct, limit, ascending, descending
        // Constants and what makes them.
        case null, infinity, nan, trueValue, falseValue
        case natural, number, float, string, base64, objectID, uuid, timestamp
        case argument, keyPathArgument
        case binary, object, subquery, geoBox, geoPolygon, geoCircle
        // Parts of paths.
        case first, last, size
        case atCount, atSize, atMin, atMax, atSum, atAverage, atLinks, atType, atKeys, atValues
        // Signs.
        case leftParenthesis, rightParenthesis, leftBracket, rightBracket, leftBrace, rightBrace
        case comma, dot, plus, minus, star, slash
    }

    /// What it is.
    var kind: Kind
    /// The offset of its first byte in the text.
    var start: Int
    /// The offset behind its last byte.
    var end: Int
    /// A literal's value.
    var value: Value?
    /// An identifier's name with its escapes translated; a string literal's text; empty otherwise.
    var name = ""
    /// The number of an argument.
    var index = 0

    /// Whether the word may name a property although it is a keyword elsewhere.
    var canBeName: Bool {
        switch kind {
        case .identifier, .beginsWith, .endsWith, .contains, .like, .between, .inList, .text, .sort,
            .distinct, .limit, .ascending, .descending, .binary, .first, .last, .size:
            true
        default: false
        }
    }

    /// Keywords in any case, by their lower-case spelling.
    static let keywords: [String: Kind] = [
        "and": .and, "or": .or, "beginswith": .beginsWith, "endswith": .endsWith,
        "contains": .contains, "text": .text, "like": .like, "between": .between,
        "geowithin": .geoWithin, "truepredicate": .truePredicate,
        "falsepredicate": .falsePredicate, "sort": .sort, "distinct": .distinct, "limit": .limit,
        "bin": .binary, "binary": .binary, "obj": .object, "asc": .ascending,
        "ascending": .ascending, "desc": .descending, "descending": .descending,
        "subquery": .subquery, "geobox": .geoBox, "geopolygon": .geoPolygon,
        "geocircle": .geoCircle, "null": .null, "nil": .null, "inf": .infinity,
        "infinity": .infinity, "nan": .nan,
    ]

    /// Keywords that are ones only in these spellings: `Not`, `Any` and `True` are identifiers.
    static let exactKeywords: [String: Kind] = [
        "in": .inList, "IN": .inList, "not": .not, "NOT": .not, "any": .any, "ANY": .any,
        "some": .any, "SOME": .any, "all": .all, "ALL": .all, "none": .none, "NONE": .none,
        "true": .trueValue, "TRUE": .trueValue, "false": .falseValue, "FALSE": .falseValue,
        "FIRST": .first, "first": .first, "LAST": .last, "last": .last, "SIZE": .size,
        "size": .size,
    ]

    /// What may follow an `@`.
    static let operations: [String: Kind] = [
        "count": .atCount, "size": .atSize, "min": .atMin, "max": .atMax, "sum": .atSum,
        "avg": .atAverage, "links": .atLinks, "type": .atType, "keys": .atKeys,
        "values": .atValues,
    ]
}
