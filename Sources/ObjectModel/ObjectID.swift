import Synchronization

/// A 12-byte identifier, ordered by its bytes: four bytes of time, five for the process, three of a counter (the layout of BSON's
/// ObjectId).
public struct ObjectID: Hashable, Comparable, Sendable {
    /// The first eight bytes, as a big-endian number.
    public var high: UInt64
    /// The last four bytes, as a big-endian number.
    public var low: UInt32

    /// Makes an identifier from its bytes, read as big-endian numbers.
    @inlinable public init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    private static let processPart: UInt64 = UInt64.random(in: 0..<(1 << 40))
    /// The second of the latest identifier, and in the lower 24 bits its counter.
    private static let last = Atomic<UInt64>(UInt64.random(in: 0..<(1 << 24)))

    /// Makes a fresh identifier. Identifiers grow within a process, across all threads. If the clock is set back, or the counter
    /// overflows within a second, the time runs ahead of the clock.
    package static func generate() -> ObjectID {
        // This is the clock of ``Timestamp/now()``. `time` is a tick behind it, so an identifier could be a second earlier than a
        // time read before it.
        let now = UInt64(UInt32(truncatingIfNeeded: Timestamp.now().seconds))
        var present = last.load(ordering: .relaxed)
        while true {
            let next = now > present >> 24 ? now << 24 | (present + 1) & 0xFF_FFFF : present + 1
            let (isDone, other) = last.weakCompareExchange(
                expected: present, desired: next, ordering: .relaxed)
            if isDone {
                return ObjectID(
                    high: (next >> 24) << 32 | processPart >> 8,
                    low: UInt32(truncatingIfNeeded: processPart & 0xFF) << 24
                        | UInt32(truncatingIfNeeded: next & 0xFF_FFFF))
            }
            present = other
        }
    }

    /// The order of the bytes.
    @inlinable public static func < (a: ObjectID, b: ObjectID) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }
}
