import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// An account, without its secrets.
package struct Account: Sendable, Equatable {
    /// The account's id: random, and the id of its user.
    package let id: UUID128
    /// The login, as the client sent it except for its Unicode form (``AccountText``).
    package let login: String
    /// The time of its creation.
    package let created: Timestamp

    init(_ record: AccountRecord) {
        id = record.id
        login = record.login
        created = Timestamp(seconds: record.seconds, nanoseconds: 0)
    }

    /// Writes the members `id`, `login` and `created`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("id").string(id.description)
        object.member("login").string(login)
        object.member("created").string(created.description)
    }

    /// The maximum bytes of a login, and the minimum and maximum bytes of a password.
    package static let loginByteCountMax = 255
    package static let passwordByteCounts = 8...1024

    /// Whether a text can be a login: no control characters, and no blanks at its ends, because they cannot be seen.
    static func isLogin(_ text: String) -> Bool {
        (1...loginByteCountMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
    }
}

/// An account that is to be stored.
package struct NewAccount: Sendable {
    /// The login as the client sent it.
    private let login: String
    private let record: AccountRecord

    /// Makes an account with a random id.
    package init(login: String, passwordHash: String) {
        self.login = login
        record = AccountRecord(
            id: .random(), login: AccountText.stored(login), passwordHash: passwordHash,
            seconds: Timestamp.now().seconds)
    }

    package var account: Account { Account(record) }

    /// Stores the account. Requests need a token from then on.
    ///
    /// - Throws: ``StoreError`` `.refused` with a ``RequestFault`` if the login is taken.
    package func add(to transaction: WriteTransaction) throws(StoreError) {
        for form in AccountText.forms(ofLogin: login)
        where try transaction.hasAccount(login: form) {
            throw .refused(RequestFault.accountExists)
        }
        transaction.putAccount(record)
        try transaction.setNeedsToken(true)
    }
}
