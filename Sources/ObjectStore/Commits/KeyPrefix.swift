/// The first sixteen bytes of a key as two numbers, zeros where it is shorter.
///
/// Prefixes that differ are in the order of their keys, since no byte is below zero; equal ones say
/// nothing. Comparing them touches no memory beyond the slot that holds them, which is most of what a
/// search among tens of thousands of keys costs otherwise.
struct KeyPrefix {
    let high: UInt64
    let low: UInt64

    /// Takes the beginning of a key.
    init(_ key: UnsafeRawBufferPointer) {
        if key.count >= 16 {
            high = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
            low = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return
        }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: key) }
        high = UInt64(bigEndian: words.0)
        low = UInt64(bigEndian: words.1)
    }
}
