/// The sum of doubles without any rounding but that of the result, which is the double nearest to it: so it does not
/// depend on the order of the values, nor on the division among threads.
///
/// A fixed-point number of 128 bits takes most values; the others go to digits for the whole range of a double,
/// as in Neal, "Fast exact summation using small and large superaccumulators", arXiv:1505.05571.
package struct ExactSum: Sendable {
    /// In units of 2 to the power of −``fractionBitCount``.
    private var near: Int128 = 0
    /// The sum of infinities; 0 without any.
    private var infinities = 0.0
    /// Digits of 64 bits, in units of the least positive double; empty until they are needed. Each has room for as many
    /// carries as anybody adds values.
    private var digits: [Int128] = []

    private static let fractionBitCount = 73
    private static let digitCount = 36
    /// The place of its unit in the digits.
    private static let nearPosition = 1074 - fractionBitCount
    /// The exponent, as a double has it, of the least bit of whole mantissas that the fixed-point number takes.
    private static let leastExponent = 1075 - fractionBitCount

    /// Makes the sum of nothing.
    package init() {}

    /// Bytes that it has outside itself.
    var byteCount: Int { digits.count * MemoryLayout<Int128>.stride }

    /// Adds a value that is not NaN.
    @inline(__always)
    mutating func add(_ value: Double) {
        if !takes(value) { addOther(value) }
    }

    /// Adds a value that is not NaN, and to `byteCount` the bytes that the sum comes to have outside itself for it.
    @inline(__always)
    mutating func add(_ value: Double, _ byteCount: inout Int) {
        if takes(value) { return }
        let before = self.byteCount
        addOther(value)
        byteCount += self.byteCount - before
    }

    /// Adds a value to the fixed-point number; false where that has no room for it, and nothing was done.
    @inline(__always)
    private mutating func takes(_ value: Double) -> Bool {
        guard let term = Self.fixedPoint(value) else { return false }
        let (sum, overflows) = near.addingReportingOverflow(term)
        if !overflows { near = sum }
        return !overflows
    }

    @inline(never)
    private mutating func addOther(_ value: Double) {
        guard let term = Self.fixedPoint(value) else { return addFar(value) }
        addNear()
        near = term
    }

    /// Adds values without NaN.
    mutating func add(_ values: UnsafeBufferPointer<Double>) { for value in values { add(value) } }

    /// A value as a fixed-point number; nil where it is not the whole value.
    @inline(__always)
    private static func fixedPoint(_ value: Double) -> Int128? {
        let bits = value.bitPattern
        let shift = Int(bits >> 52 & 0x7FF) &- leastExponent
        guard UInt(bitPattern: shift) <= UInt(fractionBitCount) else { return nil }
        let mantissa =
            UInt128(bits & (1 << 52 - 1) | 1 << 52) &<< UInt128(truncatingIfNeeded: shift)
        let sign = Int128(Int64(bitPattern: bits) >> 63)
        return (Int128(bitPattern: mantissa) ^ sign) &- sign
    }

    /// Adds a value that is not a fixed-point number as it is written.
    private mutating func addFar(_ value: Double) {
        guard value.isFinite else {
            infinities += value
            return
        }
        let bits = value.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let mantissa = bits & (1 << 52 - 1) | (exponent > 0 ? 1 << 52 : 0)
        if mantissa == 0 { return }
        let term = Int128(mantissa) * Int128(value.sign == .minus ? -1 : 1)
        let position = max(exponent, 1) - 1
        // The last bits of a small value may be zeros, as in sums.
        let below = Self.nearPosition - position
        if below > 0, mantissa.trailingZeroBitCount >= below {
            let (sum, overflows) = near.addingReportingOverflow(term >> Int128(below))
            if !overflows {
                near = sum
                return
            }
        }
        add(term, at: position)
    }

    /// Moves the fixed-point number to the digits.
    @inline(never)
    private mutating func addNear() {
        add(near, at: Self.nearPosition)
        near = 0
    }

    /// Adds a number times a power of 2.
    private mutating func add(_ number: Int128, at position: Int) {
        addDigits(number & Int128(UInt64.max), at: position)
        addDigits(number >> 64, at: position + 64)
    }

    /// Adds a number of at most 64 bits and a sign, times a power of 2.
    private mutating func addDigits(_ number: Int128, at position: Int) {
        if digits.isEmpty { digits = [Int128](repeating: 0, count: Self.digitCount) }
        let (digit, shift) = position.quotientAndRemainder(dividingBy: 64)
        // Rounded down, so that the rest is positive.
        let low = (number & (1 << (64 - Int128(shift)) - 1)) << Int128(shift)
        digits[digit] += low
        digits[digit + 1] += number >> (64 - Int128(shift))
    }

    mutating func add(_ other: ExactSum) {
        infinities += other.infinities
        let (sum, overflows) = near.addingReportingOverflow(other.near)
        if overflows { addNear() }
        near = overflows ? other.near : sum
        if digits.isEmpty {
            digits = other.digits
        } else {
            for (index, digit) in other.digits.enumerated() { digits[index] += digit }
        }
    }

    /// The double that is nearest to the sum; of two that are, the even one.
    package var value: Double {
        // NaN, of infinities that exclude each other, is not 0 either.
        if infinities != 0 { return infinities }
        if digits.isEmpty { return Self.scaled(Double(near), -Self.fractionBitCount) }
        var whole = self
        whole.addNear()
        return whole.digitValue
    }

    private var digitValue: Double {
        var sums = digits
        // The carry out of the last digit has the sign.
        var isNegative = false
        for _ in 0..<2 {
            var carry: Int128 = 0
            for index in sums.indices {
                let sum = sums[index] + carry
                sums[index] = sum & Int128(UInt64.max)
                carry = sum >> 64
            }
            if carry == 0 { break }
            isNegative = true
            sums = digits.map { -$0 }
        }
        let rounded = Self.rounded(sums.map { UInt64($0) }, unit: -1074)
        return isNegative ? -rounded : rounded
    }

    /// The double nearest to a number of several digits, the least first, times 2 to the power of `unit`.
    private static func rounded(_ digits: [UInt64], unit: Int) -> Double {
        guard let last = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let shift = digits[last].leadingZeroBitCount
        guard last > 0 else { return scaled(Double(digits[0]), unit) }
        var top = digits[last] << UInt64(shift)
        var rest = digits[last - 1]
        if shift > 0 {
            top |= rest >> UInt64(64 - shift)
            rest <<= UInt64(shift)
        }
        // The bits after a double's bits only decide the rounding.
        if rest != 0 || digits[..<(last - 1)].contains(where: { $0 != 0 }) { top |= 1 }
        return scaled(Double(top), unit + 64 * last - shift)
    }

    private static func scaled(_ value: Double, _ exponent: Int) -> Double {
        Double(sign: .plus, exponent: exponent, significand: value)
    }
}
