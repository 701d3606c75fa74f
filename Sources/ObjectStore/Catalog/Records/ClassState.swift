import HoldfastBytes
import HoldfastStorage

/// The counters of a class.
///
///     offset  bytes  field (little-endian)
///     0       8      the object key that the next new object gets
///     8       8      how many objects there are
///     16      8      the greatest number that a primary key has had; only for classes with a primary key that
///                    has, or had, the default `$next`
package struct ClassState: Equatable, Sendable {
    /// The object key that the next new object gets; keys begin at 1 and are never reused.
    package var nextKey: UInt64 = 1
    package var count: UInt64 = 0
    /// The greatest number that a primary key has had, at least 0; nil when it is not kept.
    package var greatestNumber: Int64?

    private static let byteCount = 16
    private static let numberedByteCount = 24

    init() {}

    /// Reads stored counters; nil when they are damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount || bytes.count == Self.numberedByteCount else {
            return nil
        }
        nextKey = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        count = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        // No store gets as far as these bounds, and counting on from them would overflow.
        guard nextKey >= 1, nextKey < 1 << 62, count < nextKey else { return nil }
        if bytes.count == Self.numberedByteCount {
            let number = bytes.loadUnaligned(fromByteOffset: 16, as: Int64.self)
            guard number >= 0 else { return nil }
            greatestNumber = number
        }
    }

    /// Reads the stored counters of a class; nil for a class that never had an object.
    init(stored bytes: UnsafeRawBufferPointer?) throws(StoreError) {
        guard let bytes else {
            self.init()
            return
        }
        // Beginning again would use object keys again.
        guard let state = ClassState(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read class state"))
        }
        self = state
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: nextKey)
        buffer.append(little: count)
        if let greatestNumber { buffer.append(little: greatestNumber) }
    }
}
