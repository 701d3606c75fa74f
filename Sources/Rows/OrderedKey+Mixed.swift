import HoldfastBytes
import HoldfastObjectModel

/// Keys of `mixed` values: the kind's rank in the order of values, then the value within its kind.
extension OrderedKey {
    /// Appends a `mixed` value.
    ///
    /// - `byteCountMax`: The length at which a long text is cut.
    /// - Returns: Whether a text was cut.
    @discardableResult
    package static func append(
        _ value: MixedView, to buffer: ByteBuffer, byteCountMax: Int = textByteCountMax
    ) -> Bool {
        let kind = value.kind
        if kind == .null {
            appendNull(to: buffer)
            return false
        }
        buffer.append(1 as UInt8)
        buffer.append(kind.rank)
        switch kind {
        case .null, .list, .map: break
        case .int, .double, .float, .decimal:
            if let number = value.number { append(number, to: buffer) }
        case .bool, .objectID, .uuid: buffer.append(value.payload)
        case .string, .data:
            return append(content: value.payload, to: buffer, byteCountMax: byteCountMax)
        case .date:
            if let date = value.payload.baseAddress?.storedDate {
                buffer.append(big: UInt64(bitPattern: date.seconds) ^ 1 << 63)
                buffer.append(big: UInt32(bitPattern: date.nanoseconds))
            }
        case .link:
            if let link = value.link {
                buffer.append(big: link.classNumber)
                buffer.append(big: link.key)
            }
        }
        return false
    }

    /// Appends a `mixed` value with all that a list or map holds: the bytes of two values are the same just
    /// when the values are equal, long texts by their hashes. They do not sort as lists and maps do.
    package static func appendWhole(_ value: MixedView, to buffer: ByteBuffer) {
        append(value, to: buffer)
        guard value.kind == .list || value.kind == .map else { return }
        buffer.append(big: UInt32(value.count))
        for index in 0..<value.count {
            if value.kind == .map {
                buffer.append(big: UInt32(value.key(index).count))
                buffer.append(value.key(index))
            }
            appendWhole(value.element(index), to: buffer)
        }
    }

    private static func append(_ number: MixedNumber, to buffer: ByteBuffer) {
        buffer.append(big: number.floor)
        if number.ordinal == 0 { return buffer.append(0 as UInt8) }
        buffer.append(1 as UInt8)
        buffer.append(big: number.ordinal)
    }
}
