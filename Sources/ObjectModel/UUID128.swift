/// A universally unique identifier (RFC 9562), ordered by its bytes.
public struct UUID128: Hashable, Comparable, Sendable {
    /// The first eight bytes, as a big-endian number.
    public var high: UInt64
    /// The last eight bytes, as a big-endian number.
    public var low: UInt64

    /// Makes an identifier from its bytes, read as big-endian numbers.
    @inlinable public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a random identifier of version 4.
    package static func random() -> UUID128 {
        UUID128(
            high: (UInt64.random(in: 0...UInt64.max) & ~0xF000) | 0x4000,
            low: (UInt64.random(in: 0...UInt64.max) >> 2) | 0x8000_0000_0000_0000)
    }

    /// The order of the bytes.
    @inlinable public static func < (a: UUID128, b: UUID128) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }
}
