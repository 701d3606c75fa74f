import HoldfastBytes
import CHoldfastCrypto
import HoldfastJSON
/// The SHA-256 of a token: all that is kept of it. A token is 32 random bytes, or signed, so that no slower hash
/// is needed.
package struct TokenHash: Sendable, Hashable {
    /// The 32 bytes of the hash.
    let bytes: [UInt8]

    /// Takes 32 bytes; nil for any other number.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Hashes a token; nil when the library fails.
    package init?(of token: UnsafeRawBufferPointer) {
        var digest = [UInt8](repeating: 0, count: 32)
        guard shim_sha256(token.baseAddress, token.count, &digest) == 1 else { return nil }
        bytes = digest
    }

    /// Reads 64 hexadecimal digits.
    package init?(hexadecimal text: Substring) {
        var text = String(text)
        guard let bytes = text.withUTF8({ Hexadecimal.decode(UnsafeRawBufferPointer($0)) }),
            bytes.count == 32
        else { return nil }
        self.bytes = bytes
    }

    /// Whether two hashes are the same; takes the same time wherever they differ.
    package func isEqual(_ other: TokenHash) -> Bool {
        shim_are_equal(bytes, other.bytes, 32) == 1
    }

    /// 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        let text = ByteBuffer(capacity: 64)
        bytes.withUnsafeBytes { Hexadecimal.encode($0, into: text) }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
