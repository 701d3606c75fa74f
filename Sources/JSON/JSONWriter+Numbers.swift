import HoldfastBytes
import CHoldfastSimdJSON

extension JSONWriter {
    /// Writes an integer.
    public func int(_ value: Int64) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        uint(value.magnitude)
    }

    /// Writes an integer.
    public func uint(_ value: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (value, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            buffer.append(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[start...]))
        }
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
