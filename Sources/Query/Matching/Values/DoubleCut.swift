/// A cut of doubles in two parts of so few bits that sums of many parts are not rounded.
///
/// The upper part is a multiple of a unit so large that no sum of these has too many bits; the rest is cut in the same way with a
/// smaller unit. Where nothing is left behind that, both sums are exact. See ExtractVector in Rump, Ogita and Oishi,
/// "Accurate floating-point summation, part I", SIAM J. Sci. Comput. 31 (2008).
struct DoubleCut {
    /// The number that rounds a value to the unit of the upper parts when it is added to it and taken away again.
    let large: Double
    /// The same for the unit of the lower parts.
    let small: Double

    /// Larger values are not cut: their sums would lie next to the greatest double.
    private static let exponentMax = 800
    private static let exponentMin = -800

    /// Makes the cut of values that are less than 2 to the power of `exponent + 1`, of which 2 to the power of
    /// `additionCountLog2` may be added; next to the ends of what a double can be one that takes no value.
    init(exponent: Int, additionCountLog2: Int) {
        let (exponent, log2) = (max(exponent, Self.exponentMin), additionCountLog2)
        guard exponent <= Self.exponentMax else {
            (large, small) = (.nan, .nan)
            return
        }
        // The sum of a number of this size and one that is less than a third of it is rounded to the last of 53 bits. The unit
        // of the upper parts is so large that a sum of all of them has no more. What is left of a value is at most half of
        // it, and decides the unit of the lower parts in the same way.
        large = Double(sign: .plus, exponent: exponent + log2, significand: 1.5)
        small = Double(sign: .plus, exponent: exponent + 2 * log2 - 54, significand: 1.5)
    }

    /// The parts of a value; nil where they are not the whole of it.
    @inline(__always)
    func parts(of value: Double) -> (upper: Double, lower: Double)? {
        let upper = (large + value) - large
        let rest = value - upper
        let lower = (small + rest) - small
        return rest == lower ? (upper, lower) : nil
    }
}
