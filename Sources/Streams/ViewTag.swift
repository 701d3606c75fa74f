import CHoldfastSodium

/// The end of a cursor of a user that may not read everything: a hash of the cursor's position, keyed by the secret name of the
/// user's view (``Visibility/mark``). So a client cannot construct a cursor for another position or another view.
enum ViewTag {
    /// The maximum number of bytes: 64 bits as digits of 5 bits.
    private static let byteCountMax = 13

    /// Makes the tag of a position. Cost: some tens of nanoseconds, because each event of a user has one.
    ///
    /// - `mark`: Its 16 bytes are the key; see ``ViewMark``.
    static func text(of position: some StringProtocol, in mark: String) -> String {
        var key = SIMD16<UInt8>()
        withUnsafeMutableBytes(of: &key) { $0.copyBytes(from: mark.utf8.prefix(16)) }
        var position = String(position)
        var rest = position.withUTF8 { shim_short_code(&key, $0.baseAddress, $0.count) }
        // Without divisions, which take as long as the hash: the last digit comes first.
        return String(unsafeUninitializedCapacity: byteCountMax) { digits in
            var count = 0
            repeat {
                let digit = UInt8(rest & 31)
                digits[count] = digit < 10 ? 48 + digit : 87 + digit
                rest >>= 5
                count += 1
            } while rest > 0
            return count
        }
    }

    /// Whether a text can be a tag: digits and small letters.
    static func isTag(_ text: Substring) -> Bool {
        (1...byteCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
    }
}
