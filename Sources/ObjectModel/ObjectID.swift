import Synchronization

/// A 12-byte identifier, ordered by its bytes: four bytes of time, five of the process, three of a
/// counter (the layout of BSON's ObjectId).
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
    private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<(1 << 24)))

    /// Makes a fresh identifier. Within a process they grow, unless the clock is set back or the
    /// counter, which starts anywhere, comes to its end and begins again within a second.
    package static func generate() -> ObjectID {
        // The clock of ``Timestamp/now()``: `time` is a tick behind it, so that an identifier could be
        // of a second before the time that was read ahead of it.
        let seconds = UInt64(UInt32(truncatingIfNeeded: Timestamp.now().seconds))
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
        return ObjectID(
            high: seconds << 32 | processPart >> 8,
            low: UInt32(truncatingIfNeeded: processPart & 0xFF) << 24 | count)
    }

    /// The order of the bytes.
    @inlinable public static func < (a: ObjectID, b: ObjectID) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }
}
