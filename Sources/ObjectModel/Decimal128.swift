import CHoldfastDecimal

/// An IEEE 754 decimal128 number: up to 34 decimal digits and an exponent from -6176 to 6111.
///
/// The written form is kept: `1.10` and `1.1` are equal numbers with different bits. The bits are the binary encoding of the
/// standard (section 3.5.2), which Intel's library uses.
public struct Decimal128: Hashable, BitwiseCopyable, Sendable {
    /// The upper half: sign, exponent and the upper 49 bits of the digits.
    public var high: UInt64
    /// The lower 64 bits of the digits.
    public var low: UInt64

    /// Takes an encoding. All bits are valid: a number, an infinity or NaN.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Not a number. There is only one NaN, without sign or payload.
    package static let nan = Decimal128(high: 0x7C00 << 48, low: 0)

    /// The kinds of number.
    package enum Kind {
        case finite
        case infinite
        case nan
    }

    package var kind: Kind {
        if high & 0x7C00 << 48 == 0x7C00 << 48 { return .nan }
        return high & 0x7800 << 48 == 0x7800 << 48 ? .infinite : .finite
    }

    /// Whether the sign is minus, also for zero.
    package var isNegative: Bool { high >> 63 != 0 }

    /// The digits of a finite number, as an integer below 10^34.
    package var coefficient: UInt128 {
        // An encoding of more than 113 bits means zero (section 3.5.2).
        if high & 0x6000 << 48 == 0x6000 << 48 { return 0 }
        let digits = UInt128(high & 0x0001_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return digits < Self.coefficientEnd ? digits : 0
    }

    /// The power of ten by which a finite number's coefficient is multiplied.
    package var exponent: Int {
        let shift = high & 0x6000 << 48 == 0x6000 << 48 ? 47 : 49
        return Int(high >> UInt64(shift) & 0x3FFF) - 6176
    }

    /// 10^34.
    static let coefficientEnd: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000

    /// Converts an integer exactly.
    package init(_ value: Int64) {
        high = (value < 0 ? 1 << 63 : 0) | 6176 << 49
        low = value.magnitude
    }

    /// Makes a finite number of at most 34 digits whose exponent is in range.
    init(coefficient: UInt128, exponent: Int, isNegative: Bool) {
        high =
            (isNegative ? 1 << 63 : 0) | UInt64(exponent + 6176) << 49
            | UInt64(truncatingIfNeeded: coefficient >> 64)
        low = UInt64(truncatingIfNeeded: coefficient)
    }

    /// The decimal with `digitCount` digits that is nearest to a double.
    package init(rounding value: Double, digitCount: Int) {
        let number = HFDecimalRound(value, Int32(digitCount))
        self.init(high: number.high, low: number.low)
    }
}

extension Decimal128 {
    /// The greatest double that is not above the number, and whether they are equal; NaN for NaN.
    package var doubleFloor: (value: Double, isExact: Bool) {
        if kind == .nan { return (.nan, true) }
        var isExact = false
        let value = HFDecimalFloor(HFDecimal(low: low, high: high), &isExact)
        return (value, isExact)
    }
}

/// Arithmetic of IEEE 754, rounded to 34 digits; every NaN becomes the only NaN.
extension Decimal128 {
    package static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        calculate(UInt8(ascii: "+"), a, b)
    }

    /// Subtracts.
    package static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
        calculate(UInt8(ascii: "-"), a, b)
    }

    /// Multiplies.
    package static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        calculate(UInt8(ascii: "*"), a, b)
    }

    /// Divides. Division by zero gives an infinity; zero by zero gives NaN.
    package static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        calculate(UInt8(ascii: "/"), a, b)
    }

    private static func calculate(_ sign: UInt8, _ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        let number = HFDecimalCalculate(
            CChar(bitPattern: sign), HFDecimal(low: a.low, high: a.high),
            HFDecimal(low: b.low, high: b.high))
        let result = Decimal128(high: number.high, low: number.low)
        return result.kind == .nan ? .nan : result
    }
}

/// Conversion to unsigned integers in the same order.
extension Decimal128 {
    /// A number that grows with the decimal. Equal decimals have the same one; NaN has 0.
    ///
    /// For a positive number it is 2^127 plus the magnitude: 14 bits for the place of the first digit and 113 for 34 digits,
    /// padded with zeros. For a negative number it is 2^127 minus the magnitude.
    package var ordinal: UInt128 {
        let middle: UInt128 = 1 << 127
        switch kind {
        case .nan: return 0
        case .infinite: return isNegative ? middle - Self.infinity : middle + Self.infinity
        case .finite:
            let magnitude = magnitude
            return isNegative ? middle - magnitude : middle + magnitude
        }
    }

    private static let infinity: UInt128 = 0x3FFF << 113

    private var magnitude: UInt128 {
        var digits = coefficient
        if digits == 0 { return 0 }
        // The place of the first digit, counted from the lowest possible place.
        var place = exponent + 6176 + 34
        while digits < Self.coefficientEnd / 10 {
            digits *= 10
            place -= 1
        }
        return UInt128(place) << 113 | digits
    }

    package static let greatestOrdinal: UInt128 = 1 << 127 + infinity

    /// The greatest integer that is not above a number; nil outside the range of `Int64`, and for infinities and NaN.
    package var integerFloor: Int64? {
        guard kind == .finite else { return nil }
        let (whole, hasFraction) = parts
        var (digits, exponent) = (whole, exponent)
        while exponent > 0, digits > 0, digits < 1 << 64 {
            digits *= 10
            exponent -= 1
        }
        guard digits <= 1 << 63 else { return nil }
        if !isNegative { return Int64(exactly: digits) }
        let below = Int128(digits) + (hasFraction ? 1 : 0)
        return Int64(exactly: -below)
    }

    /// The greatest integer that is not above a number; infinities and NaN are unchanged.
    package var floor: Decimal128 {
        guard kind == .finite, exponent < 0 else { return self }
        let (digits, hasFraction) = parts
        return Decimal128(
            coefficient: digits + (hasFraction && isNegative ? 1 : 0), exponent: 0,
            isNegative: isNegative)
    }

    /// Whether the number is an integer; false for infinities and NaN.
    package var isIntegral: Bool { kind == .finite && !parts.hasFraction }

    /// The digits of a finite number before its point, and whether a digit after the point is not 0.
    private var parts: (whole: UInt128, hasFraction: Bool) {
        var (whole, exponent, hasFraction) = (coefficient, exponent, false)
        while exponent < 0, whole > 0 {
            hasFraction = hasFraction || whole % 10 != 0
            whole /= 10
            exponent += 1
        }
        return (whole, hasFraction)
    }

    package init(ordinal: UInt128) {
        let middle: UInt128 = 1 << 127
        if ordinal == 0 {
            self = .nan
            return
        }
        let isNegative = ordinal < middle
        let magnitude = isNegative ? middle - ordinal : ordinal - middle
        if magnitude >= Self.infinity {
            self.init(high: isNegative ? 0xF800 << 48 : 0x7800 << 48, low: 0)
            return
        }
        var digits = magnitude & (1 << 113 - 1)
        var exponent = Int(magnitude >> 113) - 6176 - 34
        // The digits of the smallest numbers were padded with zeros beyond the lowest exponent.
        while exponent < -6176, digits > 0 {
            digits /= 10
            exponent += 1
        }
        self.init(coefficient: digits, exponent: max(exponent, -6176), isNegative: isNegative)
    }
}

/// Decimals as text: the scientific strings of General Decimal Arithmetic (speleotrove.com/decimal).
extension Decimal128 {
    /// The maximum length of a text, in bytes. Longer texts have more digits than a number can hold.
    private static let textByteCountMax = 128

    /// Reads `[+-]digits[.digits][e[+-]digits]`, `NaN`, `Infinity` or `-Infinity`.
    ///
    /// - Returns: Nil for other texts, and for a number that would have to be rounded because it has more than 34 digits or is
    ///   outside the range.
    package init?(text: UnsafeRawBufferPointer) {
        guard text.count <= Self.textByteCountMax else { return nil }
        switch text.count {
        case 3 where text.elementsEqual("NaN".utf8):
            self = .nan
            return
        case 8 where text.elementsEqual("Infinity".utf8):
            self.init(high: 0x7800 << 48, low: 0)
            return
        case 9 where text.elementsEqual("-Infinity".utf8):
            self.init(high: 0xF800 << 48, low: 0)
            return
        default: break
        }
        guard Self.isNumber(text) else { return nil }
        var number = HFDecimal()
        let isExact = withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: Self.textByteCountMax + 1
        ) { buffer in
            for (index, byte) in text.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[text.count] = 0
            guard let start = buffer.baseAddress else { return false }
            return HFDecimalRead(start, &number)
        }
        guard isExact else { return nil }
        self.init(high: number.high, low: number.low)
        guard kind == .finite else { return nil }
    }

    package init?(_ text: String) {
        var text = text
        guard let number = text.withUTF8({ Decimal128(text: UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = number
    }

    /// Whether the bytes are a decimal number. The library reads any other text as NaN.
    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        func skipSign() {
            if position < text.count, text[position] == 0x2B || text[position] == 0x2D {
                position += 1
            }
        }
        func skipDigits() -> Int {
            let start = position
            while position < text.count, 0x30...0x39 ~= text[position] { position += 1 }
            return position - start
        }
        skipSign()
        var digitCount = skipDigits()
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position += 1
            digitCount += skipDigits()
        }
        guard digitCount > 0 else { return false }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            skipSign()
            guard skipDigits() > 0 else { return false }
        }
        return position == text.count
    }

    /// Writes the number as text, with all its digits: `1.10`, `-0.000001`, `1E+30`, `NaN`.
    ///
    /// - `append`: Takes ASCII bytes, in order.
    package func writeText(_ append: (UInt8) -> Void) {
        switch kind {
        case .nan: return "NaN".utf8.forEach(append)
        case .infinite: return (isNegative ? "-Infinity" : "Infinity").utf8.forEach(append)
        case .finite: break
        }
        if isNegative { append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
            var rest = coefficient
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            write(UnsafeBufferPointer(rebasing: digits[first...]), append)
        }
    }

    private func write(_ digits: UnsafeBufferPointer<UInt8>, _ append: (UInt8) -> Void) {
        let exponent = exponent
        let adjusted = exponent + digits.count - 1
        if exponent <= 0, adjusted >= -6 {
            let wholeCount = digits.count + exponent
            if wholeCount <= 0 {
                append(UInt8(ascii: "0"))
                append(UInt8(ascii: "."))
                for _ in wholeCount..<0 { append(UInt8(ascii: "0")) }
                digits.forEach(append)
            } else {
                for (index, digit) in digits.enumerated() {
                    if index == wholeCount { append(UInt8(ascii: ".")) }
                    append(digit)
                }
            }
            return
        }
        for (index, digit) in digits.enumerated() {
            if index == 1 { append(UInt8(ascii: ".")) }
            append(digit)
        }
        append(UInt8(ascii: "E"))
        append(adjusted < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        String(adjusted.magnitude).utf8.forEach(append)
    }
}

extension Decimal128: CustomStringConvertible {
    /// The number as text.
    public var description: String { String(writtenBy: writeText) }
}
