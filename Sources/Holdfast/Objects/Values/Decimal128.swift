import Foundation
import HoldfastObjectModel

/// A decimal number of 34 digits (IEEE 754 decimal128). Results are rounded half to even.
public struct Decimal128: Sendable {
    /// A difference of two numbers.
    public typealias Stride = Decimal128
    /// The absolute value.
    public typealias Magnitude = Decimal128

    let core: HoldfastObjectModel.Decimal128

    init(_ core: HoldfastObjectModel.Decimal128) { self.core = core }

    /// Zero.
    public init() { core = HoldfastObjectModel.Decimal128(0) }

    /// Reads `12.5`, `-1e10`, `NaN`, `Infinity` or `-Infinity`.
    ///
    /// - Throws: ``InvalidValueText``.
    public init(string: String) throws {
        guard let core = HoldfastObjectModel.Decimal128(string) else {
            throw InvalidValueText(
                "Invalid decimal '\(string)': write digits, a point and an exponent, as in 12.5 or 1e10"
            )
        }
        self.core = core
    }

    /// The value of a number: exact for an integer or a decimal, to 15 digits for a floating-point number.
    public init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self.init(value: decimal.stringValue)
            return
        }
        // The letters by which Foundation marks the type that a number was made from.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self.init(floatLiteral: number.doubleValue)
        case UInt8(ascii: "Q"): self.init(number.uint64Value)
        default: self.init(number.int64Value)
        }
    }

    /// The value of an integer, exact up to 34 digits, otherwise rounded to 34 digits.
    public init(_ value: some BinaryInteger) {
        if let small = Int64(exactly: value) {
            core = HoldfastObjectModel.Decimal128(small)
        } else if let exact = HoldfastObjectModel.Decimal128(value.description) {
            core = exact
        } else {
            let unit: Int64 = 1_000_000_000_000_000_000
            let (high, low) = value.quotientAndRemainder(dividingBy: .init(unit))
            self = Decimal128(high) * Decimal128(unit) + Decimal128(low)
        }
    }

    /// The value of a decimal, an integer, a floating-point number (to 15 digits) or a text.
    ///
    /// Any other value fails the write in progress, or ends the process outside a write. For texts from outside the program, use
    /// ``init(string:)``.
    public init(value: Any) {
        switch value {
        case let value as Decimal128: self = value
        case let value as any BinaryInteger: self.init(value)
        case let value as Double: self.init(floatLiteral: value)
        case let value as Float: self.init(floatLiteral: Double(value))
        case let value as NSNumber: self.init(number: value)
        case let value as String:
            if let core = HoldfastObjectModel.Decimal128(value) {
                self.init(core)
            } else {
                fallthrough
            }
        default:
            ValueFault.raise(
                "Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
            self.init()
        }
    }

    /// The least finite number.
    public static var min: Decimal128 {
        Decimal128(HoldfastObjectModel.Decimal128(leastAndGreatest: "-"))
    }
    /// The greatest finite number.
    public static var max: Decimal128 {
        Decimal128(HoldfastObjectModel.Decimal128(leastAndGreatest: ""))
    }

    /// Whether the value is NaN.
    public var isNaN: Bool { core.kind == .nan }
    /// Whether the value is a signaling NaN.
    public var isSignaling: Bool { isNaN && core.high & 1 << 57 != 0 }
    /// The same as ``isSignaling``.
    public var isSignalingNaN: Bool { isSignaling }
    /// Whether the sign is negative.
    public var isNegative: Bool { core.isNegative }
}

extension HoldfastObjectModel.Decimal128 {
    /// The finite number with the greatest magnitude: 34 nines with the greatest exponent.
    fileprivate init(leastAndGreatest sign: String) {
        self = Self(sign + String(repeating: "9", count: 34) + "E6111") ?? Self(0)
    }
}

extension Decimal128: SignedNumeric, Strideable {
    /// The value of an integer; nil if it is not exactly representable.
    public init?<T: BinaryInteger>(exactly source: T) {
        guard let core = HoldfastObjectModel.Decimal128(source.description) else { return nil }
        self.init(core)
    }

    /// The number without its sign.
    public var magnitude: Decimal128 {
        Decimal128(HoldfastObjectModel.Decimal128(high: core.high & ~(1 << 63), low: core.low))
    }

    /// Adds.
    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.core + b.core)
    }
    /// Subtracts.
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.core - b.core)
    }
    /// Multiplies.
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.core * b.core)
    }
    /// Divides. Division by zero gives an infinity; zero by zero gives NaN.
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        Decimal128(a.core / b.core)
    }
    /// Multiplies in place.
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }
    /// Divides in place.
    public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }
    /// The number with the opposite sign.
    public static prefix func - (a: Decimal128) -> Decimal128 {
        Decimal128(HoldfastObjectModel.Decimal128(high: a.core.high ^ 1 << 63, low: a.core.low))
    }
    /// The sum of the number and `n`.
    public func advanced(by n: Decimal128) -> Decimal128 { self + n }
    /// The difference to another number.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }
}

extension Decimal128: Hashable, Comparable {
    /// Whether two numbers are equal; 1.0 equals 1.
    public static func == (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && a.core.ordinal == b.core.ordinal
    }
    /// Whether a number is less than another. False if one of them is NaN.
    public static func < (a: Decimal128, b: Decimal128) -> Bool {
        !a.isNaN && !b.isNaN && a.core.ordinal < b.core.ordinal
    }
    /// Hashes the number. Equal numbers have equal hashes.
    public func hash(into hasher: inout Hasher) { hasher.combine(core.ordinal) }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// An integer literal.
    public init(integerLiteral value: Int64) { self.init(value) }
    /// A floating-point literal, to 15 digits.
    public init(floatLiteral value: Double) {
        core = HoldfastObjectModel.Decimal128(rounding: value, digitCount: 15)
    }
    /// A string literal. Ends the process if it is not a number.
    public init(stringLiteral value: String) {
        guard let core = HoldfastObjectModel.Decimal128(value) else {
            Misuse.end("Invalid decimal '\(value)'")
        }
        self.core = core
    }
}

extension Decimal128: CustomStringConvertible, Codable {
    /// The number, without trailing zeros after the point.
    public var description: String {
        let text = core.description
        let digits = text.prefix { $0 != "E" }
        guard digits.contains(".") else { return text }
        let trimmed = digits.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(trimmed.reversed()) + text[digits.endIndex...]
    }
    /// The same text as ``description``.
    public var stringValue: String { description }

    /// Reads a text or a number; other text is a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let core = HoldfastObjectModel.Decimal128(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Invalid decimal '\(text)'")
            }
            self.init(core)
        } else if let whole = try? container.decode(Int64.self) {
            self.init(whole)
        } else {
            self.init(floatLiteral: try container.decode(Double.self))
        }
    }
    /// Writes a text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(core.description)
    }
}

extension Decimal128: _Scalar {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.decimal128)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Decimal128 {
        Decimal128(stored.start.storedDecimal)
    }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.decimal(core)) }
    /// The value of a property without a default.
    public static func _unset() -> Decimal128 { Decimal128() }
}
