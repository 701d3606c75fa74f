import HoldfastObjectModel

/// An account, with which a user signs in. It lies under its id, and the id under the login as it is looked up (``StoreKey``).
///
///     field (as ``RecordCoder`` writes it)
///     1 byte:  the form, 1
///     text:    the login, as it was stated
///     text:    the hash of the password, which says how it was made
///     8 bytes: when the account was made, in seconds since 1970
///     bytes:   the SHA-256 of the reset code, 32; empty without a code
///     8 bytes: when the code ends, in seconds since 1970
package struct AccountRecord: CodedRecord, Equatable, Sendable {
    /// The id: random, and that of the user.
    package let id: UUID128
    /// The login, as the layer above stores it.
    package var login: String
    /// The hash of the password, as the layer above makes and reads it.
    package var passwordHash: String
    /// When the account was made, in seconds since 1970.
    package var seconds: Int64
    /// The SHA-256 of the one-time code that resets the password; empty without one.
    package var resetHash: [UInt8] = []
    /// When that ends, in seconds since 1970.
    package var resetEnd: Int64 = 0

    package init(id: UUID128, login: String, passwordHash: String, seconds: Int64) {
        self.id = id
        self.login = login
        self.passwordHash = passwordHash
        self.seconds = seconds
    }

    /// A login as it is looked up: without case, so that no two logins look alike.
    package static func key(_ login: String) -> String { login.lowercased() }

    /// Reads the entry of an account; nil when it is damaged, or of a form that this program does not know.
    init?(_ id: UUID128, _ value: UnsafeRawBufferPointer) {
        self.init(id: id, login: "", passwordHash: "", seconds: 0)
        guard read(value), !login.isEmpty, !passwordHash.isEmpty,
            resetHash.isEmpty || resetHash.count == TokenRecord.hashByteCount
        else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        Self.code(form: 1, &coder)
        coder.code(&login)
        coder.code(&passwordHash)
        coder.code(&seconds)
        coder.code(&resetHash)
        coder.code(&resetEnd)
    }
}

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

/// The record of a user that is barred, or was barred before a version that the change log still has. It lies under the user's id
/// (``StoreKey``).
///
///     field (as ``RecordCoder`` writes it)
///     1 byte:  the form, 2; 1 before format 8
///     1 byte:  1 when the user is blocked, else 0
///     8 bytes: seconds since 1970 before which credentials are void; the earliest time without such a time
///     8 bytes: the access version; not in form 1
package struct UserRecord: CodedRecord, Equatable, Sendable {
    package var id: String
    package var isBlocked: Bool
    /// The time before which credentials are void, in seconds since 1970; ``Int64/min`` without such a time.
    package var signedInAfter: Int64
    /// The version at which the user's last bar was taken away or changed; 0 without one.
    package internal(set) var accessVersion: UInt64 = 0

    /// The form without ``accessVersion``, and the form that is written.
    private static let forms: ClosedRange<UInt8> = 1...2

    /// The seconds since 1970 before which every sign-in is void; ``Int64/min`` without a bar, ``Int64/max`` for a blocked user.
    package var horizon: Int64 { isBlocked ? .max : signedInAfter }

    package init(id: String, isBlocked: Bool, signedInAfter: Int64) {
        self.id = id
        self.isBlocked = isBlocked
        self.signedInAfter = signedInAfter
    }

    /// Reads the entry under a key; nil when it is damaged, or of a form that this program does not know.
    init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let id = String(validating: key.dropFirst(StoreKey.userPrefix.count), as: UTF8.self)
        self.init(id ?? "", value)
    }

    /// Reads the entry of a user; nil as above.
    init?(_ id: String, _ value: UnsafeRawBufferPointer) {
        self.init(id: id, isBlocked: false, signedInAfter: .min)
        guard !id.isEmpty, read(value) else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        var form = Self.forms.upperBound
        coder.code(&form)
        if !Self.forms.contains(form) { coder.fail() }
        var flag: UInt8 = isBlocked ? 1 : 0
        coder.code(&flag)
        if flag > 1 { coder.fail() }
        isBlocked = flag == 1
        coder.code(&signedInAfter)
        if form > 1 { coder.code(&accessVersion) }
    }
}
