/// What a comparison asks of two values.
package enum ComparisonOperator: UInt8, Sendable {
    case equal, notEqual, less, lessEqual, greater, greaterEqual
    case beginsWith, endsWith, contains, like
    /// A regular expression fits the whole text; words occur in it. Both are constants on the right.
    case matches, text

    /// Whether it is one of the four that need an order.
    var isOrder: Bool {
        switch self {
        case .less, .lessEqual, .greater, .greaterEqual: true
        default: false
        }
    }

    /// Whether it takes strings or data only.
    var isTextual: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches, .text: true
        default: false
        }
    }

    /// The operator that holds of swapped operands; nil for those that have none.
    var swapped: ComparisonOperator? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessEqual: .greaterEqual
        case .greater: .less
        case .greaterEqual: .lessEqual
        case .beginsWith, .endsWith, .contains, .like, .matches, .text: nil
        }
    }

    /// The sign or word as Realm's messages have it.
    var name: String {
        switch self {
        case .equal: "="
        case .notEqual: "!="
        case .less: "<"
        case .lessEqual: "<="
        case .greater: ">"
        case .greaterEqual: ">="
        case .beginsWith: "beginswith"
        case .endsWith: "endswith"
        case .contains: "contains"
        case .like: "like"
        case .matches: "matches"
        case .text: "text"
        }
    }
}
