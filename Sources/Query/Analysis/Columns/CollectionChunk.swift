import HoldfastRows
import Synchronization

/// Lists or sets of values: where each ends among the elements of all of them.
final class CollectionChunk: ColumnChunk, @unchecked Sendable {
    private let ends: UnsafeMutablePointer<UInt32>
    /// The elements of all collections, one after the other; it has no exceptions of its own.
    let elements: ColumnChunk

    /// Packs collections.
    init(
        ends: [UInt32], elements: ColumnChunk, count: Int, exceptions: [UInt8]?, meter: ColumnMeter
    ) {
        self.ends = .allocate(capacity: max(count, 1))
        self.ends.update(from: ends, count: count)
        self.elements = elements
        super.init(
            count: count, nulls: nil, exceptions: exceptions, valueByteCount: 4 * count,
            meter: meter)
    }

    deinit { ends.deallocate() }

    override var totalByteCount: Int { super.totalByteCount + elements.totalByteCount }

    /// The elements of a collection.
    @inline(__always)
    func range(_ position: Int) -> Range<Int> {
        (position == 0 ? 0 : Int(ends[position - 1]))..<Int(ends[position])
    }

    /// Sets each position to whether its elements satisfy a condition as the quantifier says.
    func combine(
        _ quantifier: Quantifier, _ held: UnsafePointer<UInt8>,
        into mask: UnsafeMutablePointer<UInt8>
    ) {
        // All match if no element fails.
        let inner: UInt8 = quantifier == .all ? 1 : 0
        let outer: UInt8 = quantifier == .any ? 0 : 1
        var start = 0
        for position in 0..<count {
            let end = Int(ends[position])
            var result: UInt8 = 0
            while start < end {
                result |= held[start] ^ inner
                start += 1
            }
            mask[position] = result ^ outer
        }
    }
}

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
