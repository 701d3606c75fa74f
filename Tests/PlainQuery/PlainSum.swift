/// The digits of a sum, from bit 0, the least positive double, on: an adder of single bits.
package struct PlainSum {
    private var bits = [Int](repeating: 0, count: 2200)

    package init() {}

    /// Adds a value that is finite.
    package mutating func add(_ value: Double) {
        let exponent = max(Int(value.exponentBitPattern), 1)
        let hidden: UInt64 = value.exponentBitPattern > 0 ? 1 << 52 : 0
        let mantissa = value.significandBitPattern | hidden
        for bit in 0..<53 where mantissa >> UInt64(bit) & 1 == 1 {
            bits[exponent - 1 + bit] += value.sign == .minus ? -1 : 1
        }
    }

    /// The double nearest to the sum, of two the even one.
    package var value: Double {
        guard let top = carried(bits).lastIndex(where: { $0 != 0 }) else { return 0 }
        let isNegative = carried(bits)[top] < 0
        let plain = carried(isNegative ? bits.map { -$0 } : bits)
        let last = plain.lastIndex { $0 != 0 } ?? 0
        var mantissa: UInt64 = 0
        for bit in stride(from: last, through: max(0, last - 52), by: -1) {
            mantissa = mantissa << 1 | UInt64(plain[bit])
        }
        let low = max(0, last - 52)
        let half = low > 0 && plain[low - 1] == 1
        let rest = low > 1 && plain[..<(low - 1)].contains(1)
        if half, rest || mantissa & 1 == 1 { mantissa += 1 }
        let value = Double(
            sign: .plus, exponent: low - 1074, significand: Double(mantissa))
        return isNegative ? -value : value
    }

    /// Every bit 0 or 1, but for the sign in the last one.
    private func carried(_ bits: [Int]) -> [Int] {
        var result = bits
        for index in 0..<(result.count - 1) {
            let carry = result[index] >> 1
            result[index] &= 1
            result[index + 1] += carry
        }
        return result
    }
}

extension PlainSum {
    /// The sum of some values, none of which is NaN.
    static func of(_ values: [Double]) -> Double {
        var (sum, isExact) = (0.0, true)
        for value in values {
            let next = sum + value
            let part = next - sum
            // What is rounded away: Knuth, "The Art of Computer Programming", volume 2, section 4.2.2.
            isExact = isExact && (sum - (next - part)) + (value - part) == 0
            sum = next
        }
        if isExact { return sum }
        let infinities = values.filter(\.isInfinite)
        if !infinities.isEmpty { return infinities.reduce(0, +) }
        var exact = PlainSum()
        for value in values { exact.add(value) }
        return exact.value
    }
}
