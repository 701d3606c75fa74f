/// What is done with two numbers.
package enum ArithmeticOperator: UInt8, Sendable {
    case add, subtract, multiply, divide

    /// The sign in a query's text.
    var sign: String {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        }
    }
}
