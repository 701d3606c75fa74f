/// The first sixteen bytes of a key as two numbers, zeros where it is shorter.
///
/// Prefixes that differ are in the order of their keys, since no byte is below zero; equal ones say
/// nothing. Comparing them touches no memory beyond the slot that holds them, which is most of what a
/// search among tens of thousands of keys costs otherwise.
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
