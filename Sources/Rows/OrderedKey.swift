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
    /// The encoded bytes.
    package var bytes: [UInt8]

    /// Wraps encoded bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The most escaped bytes of a string or data value that stand in a key.
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
