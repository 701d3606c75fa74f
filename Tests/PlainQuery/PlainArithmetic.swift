import ObjectModel

/// Arithmetic: the wider type of two is the result's; with null, and with what is no number, it is null.
enum PlainArithmetic {
    static let signs = ["+", "-", "*", "/"]

    /// Two values put together.
    static func result(_ a: Value, _ sign: String, _ b: Value) -> Value {
        guard let x = width(a), let y = width(b) else { return .null }
        switch max(x, y) {
        case 0:
            guard case .int(let x) = a, case .int(let y) = b else { return .null }
            return .int(ints(x, sign, y))
        case 1: return .float(reals(float(a), sign, float(b)))
        case 2: return .double(reals(double(a), sign, double(b)))
        default:
            guard let x = decimal(a), let y = decimal(b) else { return .null }
            switch sign {
            case "+": return .decimal(x + y)
            case "-": return .decimal(x - y)
            case "*": return .decimal(x * y)
            default: return .decimal(x / y)
            }
        }
    }

    /// The place of a number's type among the others; nil for other values.
    static func width(_ value: Value) -> Int? {
        switch value {
        case .int: 0
        case .float: 1
        case .double: 2
        case .decimal: 3
        default: nil
        }
    }

    private static func ints(_ a: Int64, _ sign: String, _ b: Int64) -> Int64 {
        switch sign {
        case "+": a &+ b
        case "-": a &- b
        case "*": a &* b
        default:
            if b == 0 {
                a < 0 ? .min : .max
            } else {
                a.dividedReportingOverflow(by: b).partialValue
            }
        }
    }

    private static func reals<Real: FloatingPoint>(_ a: Real, _ sign: String, _ b: Real) -> Real {
        switch sign {
        case "+": a + b
        case "-": a - b
        case "*": a * b
        default: a / b
        }
    }

    private static func float(_ value: Value) -> Float {
        switch value {
        case .int(let value): Float(value)
        case .float(let value): value
        default: .nan
        }
    }

    /// An int or a binary number as a double.
    static func double(_ value: Value) -> Double {
        switch value {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: .nan
        }
    }

    /// A number as a decimal: a double with 15 digits, a float with 7; nil for other values.
    static func decimal(_ value: Value) -> Decimal128? {
        switch value {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(rounding: Double(value), digitCount: 7)
        case .double(let value): Decimal128(rounding: value, digitCount: 15)
        case .decimal(let value): value
        default: nil
        }
    }
}
