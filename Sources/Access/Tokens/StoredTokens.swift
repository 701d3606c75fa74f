import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// The tokens of a store: lists and changes them. Thread-safe.
///
/// Each call reads the store or waits until its change is durable, so do not call it on a thread that must not wait.
package struct StoredTokens: Sendable {
    private let store: Store
    /// Converts the error of a failed operation to a fault.
    private let fault: @Sendable (StoreError) -> RequestFault

    /// The tokens of a store.
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

    /// Reads the tokens in the order of their names, whether requests need a token, and the users with blocks or sign-in
    /// horizons.
    package func read() throws(RequestFault) -> (
        tokens: [Token], areNeeded: Bool, users: [UserAccess]
    ) {
        let access: StoredAccess
        do { access = try store.access() } catch { throw fault(error) }
        let tokens = access.tokens.compactMap { Token($0) }
        guard tokens.count == access.tokens.count else {
            throw RequestFault(
                .failed, "internal-error",
                "A token of the store has a right that is not known here.")
        }
        return (
            tokens.sorted { $0.name < $1.name }, access.needsToken,
            access.users.compactMap { UserAccess($0) }
        )
    }

    /// Finds a token by name.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if it does not exist.
    package func token(named name: String) throws(RequestFault) -> Token {
        guard let token = try read().tokens.first(where: { $0.name.isSame(as: name) }) else {
            throw .noToken(name)
        }
        return token
    }

    /// Returns a user's block or sign-in horizon; nil if there is no such record. Cost: a look-up.
    package func user(_ id: String) throws(RequestFault) -> UserAccess? {
        do { return try store.user(id).flatMap { UserAccess($0) } } catch { throw fault(error) }
    }

    // MARK: Changes

    /// Stores a token by its hash. Storing a token that is already there is not a fault.
    ///
    /// - Throws: ``RequestFault`` `.conflict` if another token has the name, `.invalid` if the name is invalid.
    package func add(
        _ name: String, _ terms: TokenTerms, _ hash: TokenHash, created: Timestamp = .now()
    ) throws(RequestFault) -> Token {
        guard Token.isName(name) else { throw .invalidTokenName(name) }
        try requireClasses(terms.classes)
        try change { transaction throws(StoreError) in
            let known = try transaction.access().tokens
            if !known.contains(where: { $0.hash == hash.bytes && $0.name.isSame(as: name) }) {
                guard !known.contains(where: { $0.name.isSame(as: name) || $0.hash == hash.bytes })
                else { throw .refused(RequestFault.tokenExists(name)) }
                var number: UInt64 = 0
                while number == 0 || known.contains(where: { $0.number == number }) {
                    number = UInt64.random(in: 1...UInt64.max)
                }
                var record = TokenRecord(
                    number: number, name: name, hash: hash.bytes, right: terms.right.rawValue,
                    seconds: created.seconds)
                record.set(terms)
                try transaction.putToken(record)
            }
            try transaction.setNeedsToken(true)
        }
        return try token(named: name)
    }

    /// Changes the terms of a token.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if no token has the name, `.invalid` as ``TokenMembers/change(_:)``.
    package func change(_ name: String, _ members: TokenMembers) throws(RequestFault) -> Token {
        try requireClasses(members.classes ?? [])
        try change { transaction throws(StoreError) in
            let stored = try Self.record(name, transaction)
            guard let former = Token(stored)?.terms else {
                throw .refused(RequestFault.noToken(name))
            }
            var terms = former
            do throws(RequestFault) { try members.change(&terms) } catch { throw .refused(error) }
            var record = stored
            record.set(terms)
            if !terms.read(asBefore: former, at: transaction.now) {
                record.accessVersion = transaction.baseVersion
            }
            if record != stored { try transaction.putToken(record) }
        }
        return try token(named: name)
    }

    /// Refuses classes that the schema does not have. A class that is dropped later stays in a token's terms.
    private func requireClasses(_ names: [String]) throws(RequestFault) {
        let rows = store.catalog.rows
        guard let name = names.first(where: { rows.rowClass(named: $0) == nil }) else { return }
        let fault = RequestFault.unknownClass(name, rows).errors[0]
        throw .single(
            .invalid, "invalid-token", fault.detail, pointer: "/classes", hint: fault.hint)
    }

    /// Revokes a token. Requests still need a token afterwards, even if it was the last one.
    ///
    /// - Throws: ``RequestFault`` `.notFound` if no token has the name.
    package func revoke(_ name: String) throws(RequestFault) {
        try change { transaction throws(StoreError) in
            transaction.removeToken(try Self.record(name, transaction).number)
        }
    }

    /// Revokes all tokens. Requests need no token afterwards, as before the first one.
    package func removeAll() throws(RequestFault) {
        try change { transaction throws(StoreError) in
            for token in try transaction.access().tokens { transaction.removeToken(token.number) }
            try transaction.setNeedsToken(false)
        }
    }

    /// Stores whether a user may sign in.
    package func set(_ user: UserAccess) throws(RequestFault) {
        try change { transaction throws(StoreError) in try transaction.putUser(user.record) }
    }

    private static func record(
        _ name: String, _ transaction: WriteTransaction
    ) throws(StoreError) -> TokenRecord {
        guard
            let record = try transaction.access().tokens.first(where: { $0.name.isSame(as: name) })
        else { throw .refused(RequestFault.noToken(name)) }
        return record
    }

    private func change(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws(RequestFault) {
        try AwaitedWrite.run(in: store, fault, body)
    }
}

extension TokenRecord {
    fileprivate mutating func set(_ terms: TokenTerms) {
        right = terms.right.rawValue
        end = terms.end?.seconds ?? .max
        user = terms.user ?? ""
        claims = terms.claims.text
        classes = terms.classes
    }
}

extension RequestFault {
    fileprivate static func noToken(_ name: String) -> RequestFault {
        RequestFault(.notFound, "token-not-found", "There is no token named '\(shown(name))'.")
    }

    fileprivate static func tokenExists(_ name: String) -> RequestFault {
        RequestFault(
            .conflict, "token-exists",
            "There is a token named '\(name)' already; revoke it first, or choose another name.")
    }

    fileprivate static func invalidTokenName(_ name: String) -> RequestFault {
        .single(
            .invalid, "invalid-token",
            "'\(shown(name))' is not a name for a token: use up to 64 letters, digits, '.', '_', '-' and '@'.",
            pointer: "/name")
    }
}
