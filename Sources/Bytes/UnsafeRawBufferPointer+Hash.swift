extension UnsafeRawBufferPointer {
    /// Makes a hash for tables in memory: a multiplication for each eight bytes, folded. It is the only one of
    /// bytes; what is stored or leaves the process goes by `SipHash128` instead.
    ///
    /// - `seed`: Random where the author of the bytes could gain from collisions; else a number that tells equal
    ///   bytes of different meanings apart.
    /// - `secret`: Random in the first case.
    @inlinable public func tableHash(
        seed: UInt64 = 0, secret: UInt64 = 0xD6E8_FEB8_6659_FD93
    ) -> UInt64 {
        // Where no small seed reaches.
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
        // The last eight bytes, some of them perhaps again.
        let last = loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        return Self.spread(Self.folded(hash, last ^ secret))
    }

    /// Spreads a hash, so that every bit is of use to a table.
    @inlinable
    @inline(__always)
    static func spread(_ hash: UInt64) -> UInt64 { (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15 }

    /// Folds the halves of the product of two words, one upon the other.
    @inlinable
    @inline(__always)
    public static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
