import Bytes

/// What a class counts.
///
///     offset  bytes  field (little-endian)
///     0       8      the object key that the next new object gets
///     8       8      how many objects there are
package struct ClassState: Equatable, Sendable {
    /// The object key that the next new object gets; keys begin at 1 and are never reused.
    package var nextKey: UInt64 = 1
    /// How many objects there are.
    package var count: UInt64 = 0

    static let byteCount = 16

    init() {}

    /// Reads stored counters; nil when they are damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        nextKey = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        count = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        // No store gets as far as these bounds, and counting on from them would overflow.
        guard nextKey >= 1, nextKey < 1 << 62, count < nextKey else { return nil }
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: nextKey)
        buffer.append(little: count)
    }
}
