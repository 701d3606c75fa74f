import HoldfastBytes
import HoldfastObjectModel

/// A session of an account. It lies under the account's id and the SHA-256 of its token (``StoreKey``).
///
///     field (as ``RecordCoder`` writes it)
///     1 byte:  the form, 1
///     8 bytes: when it began, in seconds since 1970
///     8 bytes: when it was used last, in seconds since 1970, as it was noted
package struct SessionRecord: CodedRecord, Equatable, Sendable {
    /// The id of the account.
    package let account: UUID128
    /// The SHA-256 of the token, 32 bytes.
    package let hash: [UInt8]
    /// When it began, in seconds since 1970.
    package var seconds: Int64
    /// When it was used last, in seconds since 1970, as it was noted.
    package var used: Int64

    package init(account: UUID128, hash: [UInt8], seconds: Int64, used: Int64) {
        self.account = account
        self.hash = hash
        self.seconds = seconds
        self.used = used
    }

    /// Reads the entry under a key; nil when it is damaged, or of a form that this program does not know.
    init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard key.count == StoreKey.sessionByteCount,
            let account = StoreKey.accountID(key, at: StoreKey.sessionPrefix.count)
        else { return nil }
        self.init(
            account: account, hash: Array(key.suffix(TokenRecord.hashByteCount)), seconds: 0,
            used: 0)
        guard read(value) else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        Self.code(form: 1, &coder)
        coder.code(&seconds)
        coder.code(&used)
    }
}
