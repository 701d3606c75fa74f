/// Numbers as unsigned integers in their order.
extension Decimal128 {
    /// A number that grows with the decimal; equal decimals have one, NaN has 0.
    ///
    /// For a positive number 2^127 plus its magnitude: 14 bits for the place of the first digit and 113
    /// for 34 digits, filled up with zeros. For a negative one 2^127 less its magnitude.
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
        // The place of the first digit, counted from the lowest that there is.
        var place = exponent + 6176 + 34
        while digits < Self.coefficientEnd / 10 {
            digits *= 10
            place -= 1
        }
        return UInt128(place) << 113 | digits
    }

    /// The greatest ordinal of a number.
    package static let greatestOrdinal: UInt128 = 1 << 127 + infinity

    /// The greatest integer that is not above a number; nil outside the range of `Int64`, and for
    /// infinities and NaN.
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

    /// The greatest integer that is not above a number; infinities and NaN are their own.
    package var floor: Decimal128 {
        guard kind == .finite, exponent < 0 else { return self }
        let (digits, hasFraction) = parts
        return Decimal128(
            coefficient: digits + (hasFraction && isNegative ? 1 : 0), exponent: 0,
            isNegative: isNegative)
    }

    /// Whether it is an integer; false for infinities and NaN.
    package var isIntegral: Bool { kind == .finite && !parts.hasFraction }

    /// The digits of a finite number before its point, or all where it has none, and whether others than 0 stand behind it.
    private var parts: (whole: UInt128, hasFraction: Bool) {
        var (whole, exponent, hasFraction) = (coefficient, exponent, false)
        while exponent < 0, whole > 0 {
            hasFraction = hasFraction || whole % 10 != 0
            whole /= 10
            exponent += 1
        }
        return (whole, hasFraction)
    }
}

extension Decimal128 {
    /// A number that has an ordinal.
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
        // The digits of the least numbers were filled up with zeros beyond the least exponent.
        while exponent < -6176, digits > 0 {
            digits /= 10
            exponent += 1
        }
        self.init(
            coefficient: digits, exponent: max(exponent, -6176), isNegative: isNegative)
    }
}
