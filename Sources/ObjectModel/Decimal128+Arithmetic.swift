import CHoldfastDecimal

/// Arithmetic of IEEE 754, rounded to 34 digits; every NaN becomes the one NaN.
extension Decimal128 {
    /// Adds.
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

    /// Divides; by zero it gives an infinity, or NaN of zero.
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
