import HoldfastBytes
import HoldfastObjectModel

/// A value as bytes whose order is the value's order, self-terminating: no key is a prefix of another.
///
///     null      00
///     value     01, then by type:
///       bool      one byte, 0 or 1
///       int       eight bytes, big-endian, sign bit flipped
///       double    eight bytes: NaN is all zeros, negative numbers have every bit flipped, others the
///                 sign bit; −0 is 0
///       date      seconds like an int, then four bytes of nanoseconds, big-endian
///       objectId  twelve bytes      uuid  sixteen bytes
///       string, data  the bytes, 00 written as 00 FF, then 00 00
///       decimal   sixteen bytes, see ``Decimal128/ordinal``
///       mixed     one byte, the rank of the kind in the order of values, then
///         number    eight bytes like a double: the greatest double that is not above the number; then
///                   00 if it is the number, else 01 and the number as a decimal
///         link      four bytes of class number, eight of object key
///         list, map nothing: they are all alike
///         others    as above
///
/// A string or data value whose escaped bytes exceed ``textByteCountMax`` is cut there, at a whole
/// byte of the value, and ends in 00 01 and a 16-byte hash of the whole value: equal values have equal
/// keys, and values that differ before the cut are in order; the rest is decided from rows.
package struct OrderedKey: Hashable, Sendable {
    package var bytes: [UInt8]

    /// Wraps encoded bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The maximum of escaped bytes of a string or data value in a key.
    package static let textByteCountMax = 400

    /// Encodes a plain value or null; nil for links and lists.
    package init?(_ value: Value) {
        let buffer = ByteBuffer(capacity: 64)
        guard OrderedKey.append(value, to: buffer) else { return nil }
        bytes = buffer.array
    }

    /// Whether a stored text key, without its tag and trailing object key, was cut.
    package static func isCut(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count >= 18 && key[key.count - 18] == 0 && key[key.count - 17] == 1
            && key.count > textByteCountMax
    }
}

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

    /// Appends a `mixed` value with the full contents of a list or map. The bytes of two values are equal exactly if the values
    /// are equal; long texts are compared by their hashes. The order of the bytes is not the order of lists and maps.
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
