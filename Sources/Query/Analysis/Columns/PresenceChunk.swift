import Synchronization

/// Which of the keys of a chunk belong to objects.
package final class PresenceChunk: ColumnChunk, @unchecked Sendable {
    private let mask: UnsafeMutablePointer<UInt8>
    /// How many do.
    package let objectCount: Int

    init(_ mask: [UInt8], meter: ColumnMeter) {
        self.mask = .allocate(capacity: Self.keyCount)
        self.mask.update(from: mask, count: Self.keyCount)
        objectCount = ColumnMask.count(self.mask, Self.keyCount)
        super.init(
            count: Self.keyCount, nulls: nil, exceptions: nil, valueByteCount: Self.keyCount,
            meter: meter)
    }

    deinit { mask.deallocate() }

    /// Whether the key at a position belongs to an object.
    package func contains(_ position: Int) -> Bool { mask[position] != 0 }

    /// Keeps the positions of a mask that belong to objects.
    func restrict(_ other: UnsafeMutablePointer<UInt8>) {
        if objectCount < Self.keyCount { ColumnMask.and(other, mask, Self.keyCount) }
    }
}

/// Counts the bytes of the chunks that are alive, by whichever query or store. Thread-safe.
package final class ColumnMeter: Sendable {
    private let total = Atomic<Int>(0)

    /// Makes a counter at 0.
    package init() {}

    /// The bytes of all chunks that were made with this counter and are not freed yet.
    package var byteCount: Int { total.load(ordering: .relaxed) }

    func add(_ byteCount: Int) { total.wrappingAdd(byteCount, ordering: .relaxed) }
}
