import CHoldfastDecimal

extension Decimal128 {
    /// The greatest double that is not above the number, and whether they are the same number; NaN of NaN.
    package var doubleFloor: (value: Double, isExact: Bool) {
        if kind == .nan { return (.nan, true) }
        var isExact = false
        let value = HFDecimalFloor(HFDecimal(low: low, high: high), &isExact)
        return (value, isExact)
    }
}
