import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import Synchronization

/// Lists and changes the accounts of a store and their sessions. Callers hash and compare passwords. Thread-safe.
///
/// Each call reads the store or waits until its change is durable. Do not call a method that waits on a thread that must not
/// wait.
package struct StoredAccounts: Sendable {
    private let store: Store
    /// Converts the error of a failed operation to a fault.
    private let fault: @Sendable (StoreError) -> RequestFault

    /// The time for which a code can reset a password, in seconds.
    package static let resetCodeSeconds: Int64 = 3600

    /// Wraps the accounts of a store.
    ///
    /// - `fault`: Converts a failed operation to a fault, and logs details that callers must not see.
    package init(
        _ store: Store,
        fault: @escaping @Sendable (StoreError) -> RequestFault = { RequestFault($0) }
    ) {
        self.store = store
        self.fault = fault
    }

    // MARK: Reading

    /// Finds an account by id.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if it does not exist.
    package func account(_ id: String) throws(RequestFault) -> Account { Account(try record(id)) }

    /// The account with a login, in any Unicode form of the login, and its password hash; nil if no account has the login.
    package func account(
        login: String
    ) throws(RequestFault) -> (account: Account, passwordHash: String)? {
        for form in AccountText.forms(ofLogin: login) {
            guard let record = try stored(store.account(login: form)) else { continue }
            return (Account(record), record.passwordHash)
        }
        return nil
    }

    /// The password hash of an account.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if there is no such account.
    package func passwordHash(_ id: String) throws(RequestFault) -> String {
        try record(id).passwordHash
    }

    /// The accounts after a login, in the order of their logins without case. Cost: linear in the accounts.
    package func accounts(
        after login: String = "", countMax: Int
    ) throws(RequestFault) -> [Account] {
        try stored(store.accounts(after: login, countMax: countMax)).map { Account($0) }
    }

    /// The session of a token; nil if there is none or it has ended. Cost: two look-ups by key.
    package func session(
        _ secret: AccountSecret, at now: Int64 = Timestamp.now().seconds
    ) throws(RequestFault) -> Session? {
        let found = try stored(store.session(secret.hash.bytes, of: secret.account))
        guard let (record, account) = found else { return nil }
        let session = Session(account: Account(account), began: record.seconds, used: record.used)
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

    /// Creates an account. Requests need a token from then on.
    ///
    /// - Throws: ``RequestFault`` `.conflict` if the login is taken.
    package func create(_ account: NewAccount) throws(RequestFault) -> Account {
        try change { transaction throws(StoreError) in try account.add(to: transaction) }
        return account.account
    }

    /// Removes an account with its sessions.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if it does not exist.
    package func delete(_ id: UUID128) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            try transaction.removeAccount(try Self.record(id, transaction))
        }
    }

    /// Changes an account's password, and ends its other sessions and its reset code.
    ///
    /// - `former`: The password hash that the client's password was compared with. The account must still have it.
    /// - `session`: The hash of the session that is kept.
    /// - Throws: ``RequestFault`` `.forbidden` if the password has changed since the comparison.
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

    /// Creates an account's reset code, which can reset the password once, until its end. It replaces an earlier code.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if there is no such account.
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

    /// Returns the account that a reset code belongs to.
    ///
    /// - Throws: ``RequestFault`` `.unauthenticated` if the code is invalid.
    package func account(
        resetBy code: AccountSecret, at now: Int64 = Timestamp.now().seconds
    ) throws(RequestFault) -> Account {
        guard let record = try stored(store.account(code.account)),
            record.isReset(by: code, at: now)
        else { throw .resetCodeInvalid }
        return Account(record)
    }

    /// Sets a new password for the account of a reset code, and ends its sessions and the code.
    ///
    /// - Throws: ``RequestFault`` as ``account(resetBy:at:)``.
    package func reset(by code: AccountSecret, to passwordHash: String) throws(RequestFault) {
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

    /// Begins a session. Sessions that have ended are removed, and the least recently used ones if there are too many.
    ///
    /// - Parameters:
    ///   - secret: The session's token.
    ///   - passwordHash: The hash that the password was compared with. The account must still have it.
    ///   - end: Receives the hash of each removed session once the change is durable.
    /// - Returns: The session.
    /// - Throws: ``RequestFault`` `.unauthenticated` if the account is gone or its password changed.
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

    /// Ends a session. It is not a fault if the session has already ended.
    package func end(_ session: TokenHash, of account: UUID128) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            transaction.removeSession(session.bytes, of: account)
        }
    }

    package func endSessions(of account: UUID128) throws(RequestFault) {
        try change { transaction throws(StoreError) in try transaction.removeSessions(of: account) }
    }

    /// Stores the times when sessions were last used. Ended sessions stay ended.
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
    fileprivate func isReset(by code: AccountSecret, at now: Int64) -> Bool {
        TokenHash(resetHash).map { $0.isEqual(code.hash) } ?? false && resetEnd > now
    }
}

extension RequestFault {
    /// The refusal of a sign-in. It is the same if there is no such account, the password is wrong, or the user is blocked.
    package static let signInRefused = RequestFault(
        .unauthenticated, "sign-in-refused",
        "No account has this login and password, or its user is blocked.")

    /// The refusal of a password change because the present password is wrong.
    package static let passwordWrong = RequestFault(
        .forbidden, "password-wrong", "The present password is wrong.")

    /// The refusal of a reset code that is invalid.
    package static let resetCodeInvalid = RequestFault(
        .unauthenticated, "reset-code-invalid",
        "The code is unknown, expired or already used, or a newer code has replaced it.")

    fileprivate static func noAccount(_ id: String) -> RequestFault {
        RequestFault(.notFound, "account-not-found", "There is no account '\(shown(id))'.")
    }

    static let accountExists = RequestFault.single(
        .conflict, "account-exists", "There is an account with this login already.",
        pointer: "/login")
}

/// A session of an account, without its token.
package struct Session: Sendable, Equatable {
    package let account: Account
    /// The time when it began, in seconds since 1970.
    package let began: Int64
    /// The time of its last use, in seconds since 1970, as far as it was stored.
    package let used: Int64

    /// The lifetime of a session after its last use, in seconds.
    package static let lifetime: Int64 = 30 * 86_400
    /// The age of the stored last use, in seconds, from which it is stored again. Otherwise each read would cause a write.
    package static let noteInterval: Int64 = 3600
    /// The most sessions of an account. Beyond it, the least recently used session is removed.
    package static let countMax = 100

    /// The time when it ends if it is not used again, in seconds since 1970.
    package var end: Int64 { used + Self.lifetime }
}
