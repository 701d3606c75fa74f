/// The operator of a comparison. Raw values are the signs and words in Realm's messages.
package enum ComparisonOperator: String, Sendable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessEqual = "<="
    case greater = ">"
    case greaterEqual = ">="
    case beginsWith = "beginswith"
    case endsWith = "endswith"
    case contains, like
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

    /// Whether it holds of two values in an order: negative, 0 or positive. Operators without an order never do.
    @inline(__always)
    func holds(ofOrder order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessEqual: order <= 0
        case .greater: order > 0
        case .greaterEqual: order >= 0
        case .beginsWith, .endsWith, .contains, .like, .matches, .text: false
        }
    }

    /// The operator for swapped operands; nil if there is no such operator.
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
}
