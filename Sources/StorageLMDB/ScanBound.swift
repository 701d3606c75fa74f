import HoldfastBytes
import HoldfastStorage

/// One end of a scan, compared with every key that the scan meets.
///
/// Nearly all keys are distinguished from the bound by their first eight bytes, read as one big-endian number:
/// that costs a nanosecond where `memcmp` costs five.
struct ScanBound {
    private let bytes: UnsafeRawBufferPointer
    private let head: UInt64

    /// Makes a bound of bytes that have to stay valid as long as it is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        // A shorter bound is filled up with zeros: a key whose head is below is below the bound, one
        // whose head is above is above it, and equal heads are left to the full comparison.
        var head: UInt64 = 0
        for index in 0..<8 {
            head = head << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
        }
        self.head = head
    }

    /// Whether `key` sorts before the bound.
    @inline(__always)
    func isAbove(_ key: UnsafeRawBufferPointer) -> Bool {
        if key.count >= 8 {
            let keyHead = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
            if keyHead != head { return keyHead < head }
        }
        return compareKeys(key, bytes) < 0
    }
}
