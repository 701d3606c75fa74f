import HoldfastBytes
import CHoldfastSimdJSON

extension JSONWriter {
    /// Writes an integer.
    public func int(_ value: Int64) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        uint(value.magnitude)
    }

    /// Writes an integer as a string, for readers whose numbers are doubles.
    public func quotedInt(_ value: Int64) {
        buffer.append(UInt8(ascii: "\""))
        int(value)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes an integer.
    public func uint(_ value: UInt64) {
        let eightDigits: UInt64 = 100_000_000
        if value < eightDigits { return leadingDigits(UInt32(truncatingIfNeeded: value)) }
        let (high, low) = value.quotientAndRemainder(dividingBy: eightDigits)
        uint(high)
        buffer.append(little: Self.digits(UInt32(truncatingIfNeeded: low)))
    }

    /// Writes an integer below 10⁸: all eight digits at once, then without the leading zeros.
    private func leadingDigits(_ value: UInt32) {
        let digits = Self.digits(value)
        let zeros: UInt64 = 0x3030_3030_3030_3030
        let zeroCount = min((digits ^ zeros).trailingZeroBitCount / 8, 7)
        let start = buffer.count
        buffer.append(little: digits >> UInt64(zeroCount * 8))
        buffer.truncate(to: start + 8 - zeroCount)
    }

    /// The eight ASCII digits of a number below 10⁸, the first in the lowest byte.
    ///
    /// Splits all lanes of one word at once, first into hundreds, then into tens, with
    /// multiplications for the divisions (https://pvk.ca/Blog/2017/12/22/appnexus-common-framework-its-out-also-how-to-print-integers-faster/).
    private static func digits(_ value: UInt32) -> UInt64 {
        let (high, low) = value.quotientAndRemainder(dividingBy: 10_000)
        let halves = UInt64(high) | UInt64(low) << 32
        let upper = ((halves &* 10_486) >> 20) & (0x7F << 32 | 0x7F)
        let hundreds = ((halves &- 100 &* upper) << 16) &+ upper
        var tens = ((hundreds &* 103) >> 10) & 0x000F_000F_000F_000F
        tens = tens &+ ((hundreds &- 10 &* tens) << 8)
        return tens | 0x3030_3030_3030_3030
    }

    /// Writes the shortest number that reads back as `value`, always with a `.` or an `e`; NaN and
    /// the infinities as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
    public func double(_ value: Double) {
        // Every integer of this size has its exact digits as its shortest form.
        if value.magnitude < 0x1p53, let integer = Int64(exactly: value),
            integer != 0 || value.sign == .plus
        {
            int(integer)
            return buffer.append(".0" as StaticString)
        }
        guard value.isFinite else { return notFinite(isNaN: value.isNaN, sign: value.sign) }
        number { HFJSONWriteDouble(value, $0) }
    }

    /// As ``double(_:)``, with the digits that a `Float` needs.
    public func float(_ value: Float) {
        guard value.isFinite else { return notFinite(isNaN: value.isNaN, sign: value.sign) }
        number { HFJSONWriteFloat(value, $0) }
    }

    private func notFinite(isNaN: Bool, sign: FloatingPointSign) {
        if isNaN {
            buffer.append("\"NaN\"" as StaticString)
        } else {
            buffer.append((sign == .minus ? "\"-Infinity\"" : "\"Infinity\"") as StaticString)
        }
    }

    /// Appends what `write` writes in place.
    private func number(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        let start = buffer.count
        buffer.appendZeros(Int(HFJSON_NUMBER_BYTE_COUNT_MAX))
        let target = (buffer.base + start).assumingMemoryBound(to: UInt8.self)
        buffer.truncate(to: start + write(target))
    }
}
