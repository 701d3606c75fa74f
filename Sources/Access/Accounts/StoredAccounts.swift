import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import Synchronization

/// The accounts of a store and their sessions: lists and changes them. Hashes of passwords are made and compared by others. Thread-safe.
///
/// Each call reads the store or waits until its change is durable; those that wait are not for a thread that must not.
package struct StoredAccounts: Sendable {
    private let store: Store
    /// The fault of a failed operation.
    private let fault: @Sendable (StoreError) -> RequestFault

    /// How long a code that resets a password holds, in seconds.
    package static let resetCodeSeconds: Int64 = 3600

    /// The accounts of a store.
    ///
    /// - `fault`: Makes the fault of a failed operation, and reports what callers are not told.
    package init(
        _ store: Store,
        fault: @escaping @Sendable (StoreError) -> RequestFault = { RequestFault($0) }
    ) {
        self.store = store
        self.fault = fault
    }

    // MARK: Reading

    /// Finds the account of an id.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is none.
    package func account(_ id: String) throws(RequestFault) -> Account {
        Account(try record(id))
    }

    /// The account of a login, in any form of its letters, and the hash of its password; nil if no account has the login.
    package func account(
        login: String
    ) throws(RequestFault) -> (account: Account, passwordHash: String)? {
        for form in Self.forms(ofLogin: login) {
            guard let record = try stored(store.account(login: form)) else { continue }
            return (Account(record), record.passwordHash)
        }
        return nil
    }

    private static func forms(ofLogin login: String) -> [String] {
        AccountText.forms(login).filter { $0.utf8.count <= Account.loginByteCountMax }
    }

    /// The hash of the password of an account.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is no such account.
    package func passwordHash(_ id: String) throws(RequestFault) -> String {
        try record(id).passwordHash
    }

    /// The accounts behind a login, by their logins without case. Cost: a look at each.
    package func accounts(
        after login: String = "", countMax: Int
    ) throws(RequestFault) -> [Account] {
        try stored(store.accounts(after: login, countMax: countMax)).map { Account($0) }
    }

    /// The session of a token that has not ended; nil when there is none. Cost: two look-ups by key.
    package func session(
        _ secret: AccountSecret, at now: Int64 = Timestamp.now().seconds
    ) throws(RequestFault) -> Session? {
        let found = try stored(store.session(secret.hash.bytes, of: secret.account))
        guard let (record, account) = found else { return nil }
        let session = Session(
            account: Account(account), began: record.seconds, used: record.used)
        return session.end > now ? session : nil
    }

    private func record(_ id: String) throws(RequestFault) -> AccountRecord {
        var text = id
        guard let number = text.withUTF8({ UUID128(text: UnsafeRawBufferPointer($0)) }) else {
            throw .noAccount(id)
        }
        guard let record = try stored(store.account(number)) else { throw .noAccount(id) }
        return record
    }

    // MARK: Accounts

    /// Makes an account. Requests need a token from then on.
    ///
    /// - Throws: ``RequestFault`` `.conflict` when the login is taken.
    package func create(
        login: String, passwordHash: String
    ) throws(RequestFault) -> Account {
        let record = AccountRecord(
            id: .random(), login: AccountText.stored(login), passwordHash: passwordHash,
            seconds: Timestamp.now().seconds)
        try change { transaction throws(StoreError) in
            for form in Self.forms(ofLogin: login)
            where try transaction.hasAccount(login: form) {
                throw .refused(RequestFault.accountExists)
            }
            transaction.putAccount(record)
            try transaction.setNeedsToken(true)
        }
        return Account(record)
    }

    /// Removes an account with its sessions.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is none.
    package func delete(_ id: UUID128) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            try transaction.removeAccount(try Self.record(id, transaction))
        }
    }

    /// Gives an account another password, and ends its sessions and its reset code.
    ///
    /// - `former`: The hash of the password that was compared; another one means that it was changed meanwhile.
    /// - `session`: The hash of the session that goes on.
    /// - Throws: ``RequestFault`` `.forbidden` when the password was changed meanwhile.
    package func setPassword(
        _ passwordHash: String, of id: UUID128, after former: String, keeping session: TokenHash
    ) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            guard let record = try transaction.account(id), record.passwordHash == former else {
                throw .refused(RequestFault.passwordWrong)
            }
            try Self.set(passwordHash, of: record, in: transaction)
            try transaction.removeSessions(of: id, but: session.bytes)
        }
    }

    // MARK: Reset codes

    /// Makes the one code of an account by which its password can be reset once, until a time. One before it holds no more.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is no such account.
    package func makeResetCode(
        of id: UUID128
    ) throws(RequestFault) -> (code: AccountSecret, end: Timestamp) {
        let code = try AccountSecret(.resetCode, of: id)
        let end = Timestamp.now().seconds + Self.resetCodeSeconds
        try change { transaction throws(StoreError) in
            var record = try Self.record(id, transaction)
            record.resetHash = code.hash.bytes
            record.resetEnd = end
            transaction.putAccount(record)
        }
        return (code, Timestamp(seconds: end, nanoseconds: 0))
    }

    /// Returns the account whose password a code resets.
    ///
    /// - Throws: ``RequestFault`` `.unauthenticated` for a code that resets nothing.
    package func account(
        resetBy code: AccountSecret, at now: Int64 = Timestamp.now().seconds
    ) throws(RequestFault) -> Account {
        guard let record = try stored(store.account(code.account)),
            record.isReset(by: code, at: now)
        else { throw .resetCodeInvalid }
        return Account(record)
    }

    /// Gives the account of a code another password, and ends its sessions and the code.
    ///
    /// - Throws: ``RequestFault`` as ``account(resetBy:at:)``.
    package func reset(
        by code: AccountSecret, to passwordHash: String
    ) throws(RequestFault) {
        let now = Timestamp.now().seconds
        try change { transaction throws(StoreError) in
            guard let record = try transaction.account(code.account),
                record.isReset(by: code, at: now)
            else { throw .refused(RequestFault.resetCodeInvalid) }
            try Self.set(passwordHash, of: record, in: transaction)
            try transaction.removeSessions(of: record.id)
        }
    }

    // MARK: Sessions

    /// Begins a session, for which those that have ended, and the oldest of too many, make room.
    ///
    /// - Parameters:
    ///   - secret: The session's token.
    ///   - passwordHash: What the password was compared with; another one means that it was changed meanwhile.
    ///   - end: Is told, when that is durable, of each that has made room.
    /// - Returns: The session.
    /// - Throws: ``RequestFault`` `.unauthenticated` when the account is gone or its password changed.
    package func begin(
        _ secret: AccountSecret, after passwordHash: String,
        ending end: (TokenHash) -> Void = { _ in }
    ) throws(RequestFault) -> Session {
        let now = Timestamp.now().seconds
        let id = secret.account
        let ended = Mutex<[TokenHash]>([])
        try change { transaction throws(StoreError) in
            ended.withLock { $0 = [] }
            guard try transaction.account(id)?.passwordHash == passwordHash else {
                throw .refused(RequestFault.signInRefused)
            }
            let sessions = try transaction.sessions(of: id).sorted { $0.used > $1.used }
            for (index, session) in sessions.enumerated()
            where index >= Session.countMax - 1 || session.used + Session.lifetime <= now {
                transaction.removeSession(session.hash, of: id)
                if let hash = TokenHash(session.hash) { ended.withLock { $0.append(hash) } }
            }
            transaction.putSession(
                SessionRecord(account: id, hash: secret.hash.bytes, seconds: now, used: now))
        }
        for hash in ended.withLock({ $0 }) { end(hash) }
        guard let session = try session(secret) else { throw RequestFault.signInRefused }
        return session
    }

    /// Ends a session; one that has ended is no fault.
    package func end(_ session: TokenHash, of account: UUID128) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            transaction.removeSession(session.bytes, of: account)
        }
    }

    /// Ends all sessions of an account.
    package func endSessions(of account: UUID128) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            try transaction.removeSessions(of: account)
        }
    }

    /// Notes when sessions were used last; those that have ended stay so.
    package func note(
        _ uses: [TokenHash: (account: UUID128, seconds: Int64)]
    ) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            for (hash, use) in uses {
                guard var session = try transaction.session(hash.bytes, of: use.account) else {
                    continue
                }
                session.used = max(session.used, use.seconds)
                transaction.putSession(session)
            }
        }
    }

    // MARK: Parts

    private func stored<Result>(
        _ body: @autoclosure () throws(StoreError) -> Result
    ) throws(RequestFault) -> Result {
        do { return try body() } catch { throw fault(error) }
    }

    private static func record(
        _ id: UUID128, _ transaction: WriteTransaction
    ) throws(StoreError) -> AccountRecord {
        guard let record = try transaction.account(id) else {
            throw .refused(RequestFault.noAccount(id.description))
        }
        return record
    }

    private static func set(
        _ passwordHash: String, of record: AccountRecord, in transaction: WriteTransaction
    ) throws(StoreError) {
        var record = record
        record.passwordHash = passwordHash
        record.resetHash = []
        record.resetEnd = 0
        transaction.putAccount(record)
    }

    private func change(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws(RequestFault) {
        try AwaitedWrite.run(in: store, fault, body)
    }
}

extension AccountRecord {
    /// Whether a code resets the password.
    fileprivate func isReset(by code: AccountSecret, at now: Int64) -> Bool {
        TokenHash(resetHash).map { $0.isEqual(code.hash) } ?? false && resetEnd > now
    }
}

extension RequestFault {
    /// The refusal of a sign-in, whether there is no such account, the password is another, or the user is blocked.
    package static let signInRefused = RequestFault(
        .unauthenticated, "sign-in-refused",
        "No account has this login and password, or its user is blocked.")

    /// The refusal of a change of the password where the present one is another.
    package static let passwordWrong = RequestFault(
        .forbidden, "password-wrong", "The present password is another one.")

    /// The refusal of a code that resets nothing.
    package static let resetCodeInvalid = RequestFault(
        .unauthenticated, "reset-code-invalid",
        "The code is none of this service, or was used, or has ended, or another one came after it."
    )

    fileprivate static func noAccount(_ id: String) -> RequestFault {
        RequestFault(.notFound, "account-not-found", "There is no account '\(shown(id))'.")
    }

    fileprivate static let accountExists = RequestFault.single(
        .conflict, "account-exists", "There is an account with this login already.",
        pointer: "/login")
}

/// A session of an account, without its token.
package struct Session: Sendable, Equatable {
    /// The account.
    package let account: Account
    /// When it began, in seconds since 1970.
    package let began: Int64
    /// When it was used last, in seconds since 1970, as it was noted.
    package let used: Int64

    /// How long a session lasts after its last use, in seconds.
    package static let lifetime: Int64 = 30 * 86_400
    /// How old the note of its last use may be, in seconds, before it is noted again: reads would write else.
    package static let noteInterval: Int64 = 3600
    /// The most sessions of an account; the one whose last use is longest ago makes room.
    package static let countMax = 100

    /// When it ends where it is not used again, in seconds since 1970.
    package var end: Int64 { used + Self.lifetime }
}
