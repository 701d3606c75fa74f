/// The first sixteen bytes of a key as two numbers, zeros where it is shorter.
///
/// Prefixes that differ are in the order of their keys, because no byte is below zero. Equal prefixes decide nothing. Comparing
/// them touches only the memory of the slots, while a search among tens of thousands of keys would otherwise mostly wait for
/// other memory.
struct KeyPrefix {
    let high: UInt64
    let low: UInt64

    /// Takes the beginning of a key.
    @inline(__always)
    init(_ key: UnsafeRawBufferPointer) {
        guard key.count >= 8 else {
            (high, low) = (Self.word(key), 0)
            return
        }
        high = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
        // For a shorter key its last eight bytes, without the bytes in the other number.
        let offset = min(8, key.count - 8)
        let last = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        low = last << UInt64(8 * (8 - offset))
    }

    /// Less than eight bytes as a number.
    private static func word(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { $0.copyMemory(from: key) }
        return UInt64(bigEndian: word)
    }
}
