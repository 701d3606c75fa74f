/// SipHash-2-4 with 128 bits of result and a fixed key, for keys of long values.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012, and the
/// reference implementation's 128-bit variant. The result is part of the storage format.
package enum SipHash128 {
    package static let storedKey: (UInt64, UInt64) = (0x486F_6C64_6661_7374, 0x6F62_6A65_6374_7321)

    package static func number(_ bytes: UnsafeRawBufferPointer) -> UInt128 {
        let (high, low) = hash(bytes)
        return UInt128(high) << 64 | UInt128(low)
    }

    /// Hashes `bytes` to two numbers whose little-endian bytes are the published result. Only tests use another key than the
    /// storage format's.
    package static func hash(
        _ bytes: UnsafeRawBufferPointer, key: (UInt64, UInt64) = storedKey
    ) -> (high: UInt64, low: UInt64) {
        var state = State(key)
        var position = 0
        while position + 8 <= bytes.count {
            state.add(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            position += 8
        }
        var last = UInt64(bytes.count & 0xFF) << 56
        var shift: UInt64 = 0
        while position < bytes.count {
            last |= UInt64(bytes[position]) << shift
            shift += 8
            position += 1
        }
        state.add(last)
        return state.finish()
    }

    /// The four words that the input is mixed into. No function captures them, because a debug build would box each.
    private struct State {
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = 0x736F_6D65_7073_6575 ^ key.0
            v1 = 0x646F_7261_6E64_6F6D ^ key.1 ^ 0xEE
            v2 = 0x6C79_6765_6E65_7261 ^ key.0
            v3 = 0x7465_6462_7974_6573 ^ key.1
        }

        mutating func add(_ word: UInt64) {
            v3 ^= word
            mix(2)
            v0 ^= word
        }

        mutating func finish() -> (high: UInt64, low: UInt64) {
            v2 ^= 0xEE
            mix(4)
            let high = v0 ^ v1 ^ v2 ^ v3
            v1 ^= 0xDD
            mix(4)
            return (high, v0 ^ v1 ^ v2 ^ v3)
        }

        private mutating func mix(_ roundCount: Int) {
            for _ in 0..<roundCount {
                v0 &+= v1
                v1 = v1 << 13 | v1 >> 51
                v1 ^= v0
                v0 = v0 << 32 | v0 >> 32
                v2 &+= v3
                v3 = v3 << 16 | v3 >> 48
                v3 ^= v2
                v0 &+= v3
                v3 = v3 << 21 | v3 >> 43
                v3 ^= v0
                v2 &+= v1
                v1 = v1 << 17 | v1 >> 47
                v1 ^= v2
                v2 = v2 << 32 | v2 >> 32
            }
        }
    }
}
