import HoldfastObjectModel

/// A value that is calculated from others.
///
/// At most one of its values is a list or a path to several; then the calculation is made for each.
package struct Expression: Hashable, Sendable {
    /// A number, or two that are put together.
    package indirect enum Term: Hashable, Sendable {
        case path(ValuePath)
        case constant(Value)
        case constants([Value])
        case operation(Term, ArithmeticOperator, Term)
    }

    /// The calculation; at least one path is in it.
    package var term: Term
    /// The type of the result: a number's, or `mixed`.
    package var type: ValueType
    /// Whether it stands for several values.
    package var isMany: Bool
}

extension Expression.Term {
    /// Hands every path to `body`.
    func forEachPath(_ body: (ValuePath) -> Void) {
        switch self {
        case .path(let path): body(path)
        case .constant, .constants: return
        case .operation(let left, _, let right):
            left.forEachPath(body)
            right.forEachPath(body)
        }
    }
}

/// An operation on two numbers. Raw values are the signs in a query's text.
package enum ArithmeticOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}
