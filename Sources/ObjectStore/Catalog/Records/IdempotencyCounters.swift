import HoldfastBytes

/// The counters of all idempotency records together.
///
///     offset  bytes  field (little-endian)
///     0       8      number of the oldest record that may still be there
///     8       8      number of the next record
///     16      8      bytes of all records and of their keys
struct IdempotencyCounters: Equatable, Sendable {
    var first: UInt64 = 0
    var next: UInt64 = 0
    var byteCount: UInt64 = 0

    static let byteCount = 24

    init() {}

    /// Reads stored counters; nil when they are damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        next = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        byteCount = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        // Counting on from these bounds would overflow.
        guard first <= next, next < 1 << 62, byteCount < 1 << 62 else { return nil }
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: first)
        buffer.append(little: next)
        buffer.append(little: byteCount)
    }
}
