import HoldfastObjectModel
import HoldfastRows

/// A number of any type, to calculate with.
///
/// The wider of two types is the result's: int, float, double, decimal. A result of ints beyond 64 bits is nil;
/// an int divided by zero is the greatest int, or the least where it was negative.
enum Number {
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(Decimal128)

    /// The number in a stored value; nil for values of other kinds.
    ///
    /// It is kept as it was written: an ``Ordinal`` does not distinguish −0 from 0.
    init?(_ address: UnsafeRawPointer, _ byteCount: Int, _ storage: ElementStorage) {
        switch storage {
        case .int: self = .int(address.storedInt)
        case .float: self = .float(address.storedFloat)
        case .double: self = .double(address.storedDouble)
        case .decimal: self = .decimal(address.storedDecimal)
        case .mixed:
            let value = MixedView(UnsafeRawBufferPointer(start: address, count: byteCount))
            guard let own = value.kind.storage, own.isNumeric, let start = value.payload.baseAddress
            else { return nil }
            self.init(start, value.payload.count, own)
        default: return nil
        }
    }

    /// The number in a constant; nil for others.
    init?(_ value: Value) {
        switch value {
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .decimal(let value): self = .decimal(value)
        default: return nil
        }
    }

    /// The number as a constant.
    var value: Value {
        switch self {
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        }
    }

    var isNaN: Bool {
        switch self {
        case .int: false
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal(let value): value.kind == .nan
        }
    }

    /// Has `body` read the bytes in which it is stored.
    func withStored<Result>(_ body: (UnsafeRawBufferPointer, ElementStorage) -> Result) -> Result {
        switch self {
        case .int(let value): withUnsafeBytes(of: value) { body($0, .int) }
        case .float(let value): withUnsafeBytes(of: value) { body($0, .float) }
        case .double(let value): withUnsafeBytes(of: value) { body($0, .double) }
        case .decimal(let value):
            withUnsafeBytes(of: (value.low, value.high)) { body($0, .decimal) }
        }
    }

    private var rank: Int {
        switch self {
        case .int: 0
        case .float: 1
        case .double: 2
        case .decimal: 3
        }
    }

    /// The number as a double; of a decimal the nearest below.
    var double: Double {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.doubleFloor.value
        }
    }

    /// The number as a decimal: a double with 15 digits and a float with 7.
    var decimal: Decimal128 {
        switch self {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(rounding: Double(value), digitCount: 7)
        case .double(let value): Decimal128(rounding: value, digitCount: 15)
        case .decimal(let value): value
        }
    }

    private var float: Float {
        switch self {
        case .int(let value): Float(value)
        case .float(let value): value
        case .double, .decimal: Float(double)
        }
    }

    /// Calculates with two numbers; nil where ints come to more than 64 bits hold.
    static func calculate(_ a: Number, _ operation: ArithmeticOperator, _ b: Number) -> Number? {
        switch max(a.rank, b.rank) {
        case 0:
            guard case .int(let x) = a, case .int(let y) = b else { return nil }
            return calculate(x, operation, y).map { .int($0) }
        case 1: return .float(calculate(a.float, operation, b.float))
        case 2: return .double(calculate(a.double, operation, b.double))
        default: return .decimal(calculate(a.decimal, operation, b.decimal))
        }
    }

    private static func calculate(
        _ a: Int64, _ operation: ArithmeticOperator, _ b: Int64
    ) -> Int64? {
        let (value, overflows) =
            switch operation {
            case .add: a.addingReportingOverflow(b)
            case .subtract: a.subtractingReportingOverflow(b)
            case .multiply: a.multipliedReportingOverflow(by: b)
            case .divide where b == 0: (a < 0 ? .min : .max, false)
            case .divide: a.dividedReportingOverflow(by: b)
            }
        return overflows ? nil : value
    }

    private static func calculate<Real: FloatingPoint>(
        _ a: Real, _ operation: ArithmeticOperator, _ b: Real
    ) -> Real {
        switch operation {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    private static func calculate(
        _ a: Decimal128, _ operation: ArithmeticOperator, _ b: Decimal128
    ) -> Decimal128 {
        switch operation {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }
}
