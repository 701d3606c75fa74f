import HoldfastBytes
import HoldfastObjectModel
import HoldfastStorage

// The accounts and sessions in a snapshot, found by their keys. Cost of each look-up: that of a key.
extension StorageSnapshot {
    /// The account of an id.
    func account(_ id: UUID128) throws(StorageError) -> AccountRecord? {
        let key = StoreKey.bytes { StoreKey.appendAccount(id, to: $0) }
        return try record(under: key) { AccountRecord(id, $0) }
    }

    /// The id of the account of a login.
    func accountID(login: String) throws(StorageError) -> UUID128? {
        let key = StoreKey.bytes { StoreKey.appendLogin(login, to: $0) }
        return try record(under: key) { StoreKey.accountID($0, at: 0) }
    }

    /// The session of an account by the hash of its token.
    func session(
        _ hash: [UInt8], of account: UUID128
    ) throws(StorageError) -> SessionRecord? {
        let key = StoreKey.bytes { StoreKey.appendSession(hash, of: account, to: $0) }
        return try record(under: key) { value in
            key.withUnsafeBytes { SessionRecord($0, value) }
        }
    }
}

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
