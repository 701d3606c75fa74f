import HoldfastObjectModel

/// Arithmetic: the wider type of two is the result's; with null, and with what is no number, it is null,
/// and so is what ints come to beyond 64 bits.
enum PlainArithmetic {
    static let signs = ["+", "-", "*", "/"]

    /// Two values put together.
    static func result(_ a: Value, _ sign: String, _ b: Value) -> Value {
        guard let x = width(a), let y = width(b) else { return .null }
        switch max(x, y) {
        case 0:
            guard case .int(let x) = a, case .int(let y) = b else { return .null }
            return ints(x, sign, y).map { .int($0) } ?? .null
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

    /// Nil for what 64 bits do not hold.
    private static func ints(_ a: Int64, _ sign: String, _ b: Int64) -> Int64? {
        if sign == "/", b == 0 { return a < 0 ? .min : .max }
        // No two of them come to more than 128 bits.
        let (x, y) = (Int128(a), Int128(b))
        switch sign {
        case "+": return Int64(exactly: x + y)
        case "-": return Int64(exactly: x - y)
        case "*": return Int64(exactly: x * y)
        default: return Int64(exactly: x / y)
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
