extension UnsafeRawBufferPointer {
    /// Returns a hash for tables in memory: a multiplication for each eight bytes, folded. All tables use this hash of bytes;
    /// bytes that are stored or leave the process use `SipHash128` instead.
    ///
    /// - `seed`: A random number if the author of the bytes could gain from collisions; otherwise a number that distinguishes
    ///   equal bytes with different meanings.
    /// - `secret`: A random number in the first case.
    @inlinable public func tableHash(
        seed: UInt64 = 0, secret: UInt64 = 0xD6E8_FEB8_6659_FD93
    ) -> UInt64 {
        // The count is placed in bits above every small seed.
        var hash = seed ^ UInt64(truncatingIfNeeded: count) &<< 48
        guard count >= 8 else {
            var word: UInt64 = 0
            for byte in self { word = word << 8 | UInt64(byte) }
            return Self.spread(Self.folded(hash, word ^ secret))
        }
        var offset = 0
        while offset + 8 < count {
            let word = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = Self.folded(hash, word ^ secret)
            offset += 8
        }
        // The last eight bytes; some of them may have been read before.
        let last = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return Self.spread(Self.folded(hash, last ^ secret))
    }

    /// Spreads a hash, so that a table can use every bit.
    @inlinable
    @inline(__always)
    static func spread(_ hash: UInt64) -> UInt64 { (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 }

    /// Folds the two halves of the product of two words into one word.
    @inlinable
    @inline(__always)
    public static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
