import CHoldfastDecimal

/// An IEEE 754 decimal128 number: up to 34 decimal digits and an exponent from -6176 to 6111.
///
/// Kept as it was written: `1.10` and `1.1` are equal numbers with different bits. The bits are the
/// binary encoding of the standard (section 3.5.2), which Intel's library computes with.
public struct Decimal128: Hashable, BitwiseCopyable, Sendable {
    /// The upper half: sign, exponent and the upper 49 bits of the digits.
    public var high: UInt64
    /// The lower 64 bits of the digits.
    public var low: UInt64

    /// Takes over an encoding; any bits are a number, an infinity or NaN.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Not a number. There is one: neither signs nor payloads are kept.
    package static let nan = Decimal128(high: 0x7C00 << 48, low: 0)

    /// The kinds of number.
    package enum Kind {
        case finite
        case infinite
        case nan
    }

    /// Its kind.
    package var kind: Kind {
        if high & 0x7C00 << 48 == 0x7C00 << 48 { return .nan }
        return high & 0x7800 << 48 == 0x7800 << 48 ? .infinite : .finite
    }

    /// Whether the sign is minus, that of zero included.
    package var isNegative: Bool { high >> 63 != 0 }

    /// The digits of a finite number, as an integer below 10^34.
    package var coefficient: UInt128 {
        // An encoding of more than 113 bits stands for zero (section 3.5.2).
        if high & 0x6000 << 48 == 0x6000 << 48 { return 0 }
        let digits = UInt128(high & 0x0001_FFFF_FFFF_FFFF) << 64 | UInt128(low)
        return digits < Self.coefficientEnd ? digits : 0
    }

    /// The power of ten that a finite number's coefficient is multiplied by.
    package var exponent: Int {
        let shift = high & 0x6000 << 48 == 0x6000 << 48 ? 47 : 49
        return Int(high >> UInt64(shift) & 0x3FFF) - 6176
    }

    /// 10^34.
    static let coefficientEnd: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000

    /// An integer, exactly.
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

    /// The decimal of so many digits that is nearest to a double.
    package init(rounding value: Double, digitCount: Int) {
        let number = HFDecimalRound(value, Int32(digitCount))
        self.init(high: number.high, low: number.low)
    }
}
