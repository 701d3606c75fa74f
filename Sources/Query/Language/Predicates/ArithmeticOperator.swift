/// An operation on two numbers. Raw values are the signs in a query's text.
package enum ArithmeticOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}
