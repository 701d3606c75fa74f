import HoldfastBytes
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
