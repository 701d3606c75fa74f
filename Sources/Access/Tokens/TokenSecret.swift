import CHoldfastCrypto
import CHoldfastSodium
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// A token with its secret, which is shown once and never stored.
package struct TokenSecret: Sendable {
    /// The prefix of a token of the store. No JSON Web Token begins with it.
    package static let prefix = Array("hf_".utf8)
    /// The number of random bytes in a token.
    static let randomByteCount = 32
    /// `hf_` and 32 random bytes in base64's URL alphabet.
    package let text: String
    package let hash: TokenHash

    /// Makes a token.
    ///
    /// - Throws: ``RequestFault`` `.failed` if the system has no random bytes or cannot hash.
    package init() throws(RequestFault) { try self.init(prefix: Self.prefix, naming: []) }

    /// Makes a secret from a prefix and, in base64's URL alphabet, a name and 32 random bytes.
    ///
    /// - Throws: As ``init()``.
    init(prefix: [UInt8], naming name: [UInt8]) throws(RequestFault) {
        var random = [UInt8](repeating: 0, count: Self.randomByteCount)
        guard shim_random(&random, random.count) == 1 else { throw Self.failure }
        let buffer = ByteBuffer(capacity: 80)
        buffer.append(prefix)
        (name + random).withUnsafeBytes { Base64.encode($0, alphabet: .url, into: buffer) }
        guard let hash = TokenHash(of: buffer.bytes) else { throw Self.failure }
        text = String(decoding: buffer.bytes, as: UTF8.self)
        self.hash = hash
    }

    private static let failure = RequestFault(
        .failed, "internal-error", "The token could not be made.")
}

extension ByteBuffer {
    /// The keyed BLAKE2b (RFC 7693) of the bytes, 32 bytes; nil if the key has more than 64 bytes. Cost: about a microsecond for
    /// 128 bytes, a fifth of an HMAC by OpenSSL, which looks up its algorithms each time.
    package func authenticationCode(under key: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 32)
        let status = shim_authentication_code(key, key.count, bytes.baseAddress, count, &code)
        return status == 0 ? code : nil
    }
}

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
