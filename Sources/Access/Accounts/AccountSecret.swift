import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel

/// The token of a session or a one-time code, which is told once and stored nowhere: it names its account, by which it is found.
package struct AccountSecret: Sendable {
    /// The purpose of a secret, by the beginning of its text, which no other secret's has.
    package enum Kind: String, Sendable {
        /// It is the token of a session.
        case session = "hfs_"
        /// It resets a password.
        case resetCode = "hfr_"

        /// The beginning of its text.
        package var prefix: String.UTF8View { rawValue.utf8 }
    }

    /// The prefix, and the account's id and 32 random bytes in base64's URL alphabet.
    package let text: String
    /// The id of the account.
    package let account: UUID128
    /// The hash of it that is stored.
    package let hash: TokenHash

    private static let idByteCount = 16

    /// Makes a secret of an account.
    ///
    /// - Throws: ``RequestFault`` `.failed` when the system has no random bytes or can't hash.
    package init(_ kind: Kind, of account: UUID128) throws(RequestFault) {
        let id = ByteBuffer(capacity: Self.idByteCount)
        id.append(big: account.high)
        id.append(big: account.low)
        let secret = try TokenSecret(prefix: Array(kind.prefix), naming: id.array)
        (text, hash) = (secret.text, secret.hash)
        self.account = account
    }

    /// Reads a secret that a client states; nil for what can be none of that kind.
    package init?(_ kind: Kind, stated bytes: UnsafeRawBufferPointer) {
        let prefix = kind.prefix
        guard bytes.starts(with: prefix), let hash = TokenHash(of: bytes) else { return nil }
        let decoded = ByteBuffer(capacity: 64)
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(prefix.count))
        guard Base64.decode(rest, alphabet: .url, into: decoded),
            decoded.count == Self.idByteCount + TokenSecret.randomByteCount
        else { return nil }
        func number(_ offset: Int) -> UInt64 {
            UInt64(
                bigEndian: decoded.bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        text = String(decoding: bytes, as: UTF8.self)
        account = UUID128(high: number(0), low: number(8))
        self.hash = hash
    }
}
