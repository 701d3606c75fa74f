/// A comparison operator, with the flags behind it.
struct PlainOperator: Equatable {
    /// The operators, as they are written.
    enum Name: String, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessEqual = "<="
        case greater = ">"
        case greaterEqual = ">="
        case isIn = "IN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"
        case text = "TEXT"
    }

    var name: Name
    var ignoresCase = false
    var ignoresAccents = false

    /// How it is written.
    var text: String {
        let flags = (ignoresCase ? "c" : "") + (ignoresAccents ? "d" : "")
        return name.rawValue + (flags.isEmpty ? "" : "[\(flags)]")
    }

    /// The operators that texts have besides.
    static let textual: [Name] = [.beginsWith, .endsWith, .contains, .like]
    /// The operators of what has an order.
    static let ordered: [Name] = [
        .equal, .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual,
    ]
}
