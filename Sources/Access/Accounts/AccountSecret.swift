import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel

/// A session token or a one-time code, which is shown once and never stored. It contains its account's id, to look up the
/// account.
package struct AccountSecret: Sendable {
    /// The purpose of a secret. Each has its own prefix.
    package enum Kind: String, Sendable {
        /// The token of a session.
        case session = "hfs_"
        /// A code that resets a password.
        case resetCode = "hfr_"

        package var prefix: String.UTF8View { rawValue.utf8 }
    }

    /// The prefix, then the account's id and 32 random bytes in base64's URL alphabet.
    package let text: String
    /// The id of the account.
    package let account: UUID128
    package let hash: TokenHash

    private static let idByteCount = 16

    /// Makes a secret for an account.
    ///
    /// - Throws: ``RequestFault`` `.failed` if the system has no random bytes or cannot hash.
    package init(_ kind: Kind, of account: UUID128) throws(RequestFault) {
        let id = ByteBuffer(capacity: Self.idByteCount)
        id.append(big: account.high)
        id.append(big: account.low)
        let secret = try TokenSecret(prefix: Array(kind.prefix), naming: id.array)
        (text, hash) = (secret.text, secret.hash)
        self.account = account
    }

    /// Reads a secret that a client sent; nil if the text cannot be a secret of the kind.
    package init?(_ kind: Kind, stated bytes: UnsafeRawBufferPointer) {
        let prefix = kind.prefix
        guard bytes.starts(with: prefix), let hash = TokenHash(of: bytes) else { return nil }
        let decoded = ByteBuffer(capacity: 64)
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(prefix.count))
        guard Base64.decode(rest, alphabet: .url, into: decoded),
            decoded.count == Self.idByteCount + TokenSecret.randomByteCount
        else { return nil }
        func number(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: decoded.bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        text = String(decoding: bytes, as: UTF8.self)
        account = UUID128(high: number(0), low: number(8))
        self.hash = hash
    }
}
