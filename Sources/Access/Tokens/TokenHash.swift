import CHoldfastCrypto
import HoldfastBytes
import HoldfastJSON

/// The SHA-256 of a token, the only part of it that is stored. A token is 32 random bytes, or signed, so a slow hash is not
/// needed.
package struct TokenHash: Sendable, Hashable {
    private let words: SIMD4<UInt64>

    /// Takes 32 bytes; nil for any other count.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// Hashes a token; nil if the library fails.
    package init?(of token: UnsafeRawBufferPointer) {
        var words = SIMD4<UInt64>()
        guard shim_sha256(token.baseAddress, token.count, &words) == 1 else { return nil }
        self.words = words
    }

    /// Reads 64 hexadecimal digits.
    package init?(hexadecimal text: Substring) {
        var text = String(text)
        guard let bytes = text.withUTF8({ Hexadecimal.decode(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self.init(bytes)
    }

    /// The 32 bytes of the hash.
    var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    /// One word is enough: a client cannot choose the hash of a known token.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.x) }

    /// Whether two hashes are equal. The time does not depend on where they differ.
    package func isEqual(_ other: TokenHash) -> Bool {
        var (left, right) = (words, other.words)
        return shim_are_equal(&left, &right, 32) == 1
    }

    /// 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        let text = ByteBuffer(capacity: 64)
        withUnsafeBytes(of: words) { Hexadecimal.encode($0, into: text) }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
