import HoldfastBytes
import CHoldfastCrypto
import HoldfastObjectJSON

/// A token itself, which is told once and stored nowhere.
package struct TokenSecret: Sendable {
    /// What a token of the store begins with, and no JSON Web Token.
    package static let prefix = Array("hf_".utf8)
    /// `hf_` and 32 random bytes in base64's URL alphabet.
    package let text: String
    /// The hash of it that is stored.
    package let hash: TokenHash

    /// Makes a token.
    ///
    /// - Throws: ``RequestFault`` `.failed` when the system has no random bytes or can't hash.
    package init() throws(RequestFault) {
        var random = [UInt8](repeating: 0, count: 32)
        guard shim_random(&random, random.count) == 1 else { throw Self.failure }
        let buffer = ByteBuffer(capacity: 64)
        buffer.append(Self.prefix)
        random.withUnsafeBytes { Base64.encode($0, alphabet: .url, into: buffer) }
        guard let hash = TokenHash(of: buffer.bytes) else { throw Self.failure }
        text = String(decoding: buffer.bytes, as: UTF8.self)
        self.hash = hash
    }

    private static let failure = RequestFault(
        .failed, "internal-error", "The token could not be made.")
}
