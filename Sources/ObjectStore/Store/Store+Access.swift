import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

extension Store {
    /// The account of an id, as of the last commit.
    package func account(_ id: UUID128) throws(StoreError) -> AccountRecord? {
        try withSnapshot { snapshot throws(StorageError) in try snapshot.account(id) }
    }

    /// The account of a login, as of the last commit.
    package func account(login: String) throws(StoreError) -> AccountRecord? {
        try withSnapshot { snapshot throws(StorageError) in
            guard let id = try snapshot.accountID(login: login) else { return nil }
            guard let record = try snapshot.account(id) else { throw StoredAccess.damaged }
            return record
        }
    }

    /// The session of an account by the hash of its token, with the account, as of the last commit.
    package func session(
        _ hash: [UInt8], of account: UUID128
    ) throws(StoreError) -> (session: SessionRecord, account: AccountRecord)? {
        try withSnapshot { snapshot throws(StorageError) in
            guard let session = try snapshot.session(hash, of: account),
                let account = try snapshot.account(account)
            else { return nil }
            return (session, account)
        }
    }

    /// The accounts behind a login, by their logins without case, as of the last commit. Cost: a look at each.
    package func accounts(
        after login: String, countMax: Int
    ) throws(StoreError) -> [AccountRecord] {
        let last = StoreKey.bytes { StoreKey.appendLogin(login, to: $0) }
        let range = KeyRange(
            lower: last + [0], upper: KeyRange.successor(ofPrefix: StoreKey.loginPrefix))
        return try withSnapshot { snapshot throws(StorageError) in
            try snapshot.records(in: range, countMax: countMax) { _, value in
                StoreKey.accountID(value, at: 0)
            }.map { id throws(StorageError) in
                guard let record = try snapshot.account(id) else { throw StoredAccess.damaged }
                return record
            }
        }
    }
}

extension Store {
    /// The access to the store, as of the last commit.
    package func access() throws(StoreError) -> StoredAccess {
        try withSnapshot { snapshot throws(StorageError) in try StoredAccess(snapshot) }
    }

    /// The record of a user that is or was barred, as of the last commit; nil without one. Cost: a look-up by the id,
    /// byte for byte.
    package func user(_ id: String) throws(StoreError) -> UserRecord? {
        let key = StoreKey.bytes { StoreKey.appendUser(id, to: $0) }
        return try withSnapshot { snapshot throws(StorageError) in
            try snapshot.record(under: key) { UserRecord(id, $0) }
        }
    }

    /// Runs `body` on the entries of the last commit.
    func withSnapshot<Result>(
        _ body: (any StorageSnapshot) throws(StorageError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StorageError) {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            return try body(snapshot)
        } catch { throw .storage(error) }
    }
}

extension Store {
    /// The access document as of the last commit, and the schema that it is kept for.
    package func accessDocumentWithSchema() throws(StoreError) -> (StoredDocument?, RowSchema) {
        let transaction = try read()
        defer { transaction.close() }
        guard let bytes = try transaction.value(StoreKey.accessDocument) else {
            return (nil, transaction.rows)
        }
        guard let document = StoredDocument(bytes) else { throw .storage(StoredAccess.damaged) }
        return (document, transaction.rows)
    }

    /// The access document as of the last commit; nil without one.
    package func accessDocument() throws(StoreError) -> StoredDocument? {
        try accessDocumentWithSchema().0
    }
}
