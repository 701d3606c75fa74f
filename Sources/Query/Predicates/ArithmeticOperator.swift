/// What is done with two numbers. Raw values are the signs in a query's text.
package enum ArithmeticOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}
