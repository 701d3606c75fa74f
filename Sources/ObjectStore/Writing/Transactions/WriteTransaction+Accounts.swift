import HoldfastObjectModel
import HoldfastStorage

// Accounts are not objects, and tokens are not either: a change of one makes no version, and no stream reports it.
extension WriteTransaction {
    /// The account of an id, as the transaction sees it.
    package func account(_ id: UUID128) throws(StoreError) -> AccountRecord? {
        try withSnapshot { snapshot throws(StorageError) in try snapshot.account(id) }
    }

    package func hasAccount(login: String) throws(StoreError) -> Bool {
        try withSnapshot { snapshot throws(StorageError) in try snapshot.accountID(login: login) }
            != nil
    }

    /// Stores an account under its id and its login.
    package func putAccount(_ account: AccountRecord) {
        let key = keyBuffer.making { StoreKey.appendAccount(account.id, to: $0) }
        overlay.put(key, rowBuffer.making { account.append(to: $0) })
        let login = keyBuffer.making { StoreKey.appendLogin(account.login, to: $0) }
        overlay.put(login, rowBuffer.making { StoreKey.append(account.id, to: $0) })
        changesAccess = true
    }

    /// Removes an account with its sessions. The record of its user stays.
    package func removeAccount(_ account: AccountRecord) throws(StoreError) {
        try removeSessions(of: account.id)
        overlay.remove(keyBuffer.making { StoreKey.appendAccount(account.id, to: $0) })
        overlay.remove(keyBuffer.making { StoreKey.appendLogin(account.login, to: $0) })
        changesAccess = true
    }

    /// The sessions of an account, in the order of their hashes, as the transaction sees them.
    package func sessions(of account: UUID128) throws(StoreError) -> [SessionRecord] {
        let prefix = StoreKey.bytes { StoreKey.appendSession([], of: account, to: $0) }
        return try withSnapshot { snapshot throws(StorageError) in
            try snapshot.records(in: KeyRange(prefix: prefix)) { SessionRecord($0, $1) }
        }
    }

    /// The session of an account by the hash of its token, as the transaction sees it.
    package func session(
        _ hash: [UInt8], of account: UUID128
    ) throws(StoreError) -> SessionRecord? {
        try withSnapshot { snapshot throws(StorageError) in try snapshot.session(hash, of: account)
        }
    }

    /// Stores a session.
    package func putSession(_ session: SessionRecord) {
        let key = keyBuffer.making {
            StoreKey.appendSession(session.hash, of: session.account, to: $0)
        }
        overlay.put(key, rowBuffer.making { session.append(to: $0) })
        changesAccess = true
    }

    /// Removes a session. It is no error if the session does not exist.
    package func removeSession(_ hash: [UInt8], of account: UUID128) {
        overlay.remove(keyBuffer.making { StoreKey.appendSession(hash, of: account, to: $0) })
        changesAccess = true
    }

    /// Removes the sessions of an account.
    ///
    /// - `kept`: The hash of the session that stays; nil if all sessions end.
    package func removeSessions(of account: UUID128, but kept: [UInt8]? = nil) throws(StoreError) {
        for session in try sessions(of: account) where session.hash != kept {
            removeSession(session.hash, of: account)
        }
    }

    /// Runs `body` on the entries as the transaction sees them.
    func withSnapshot<Result>(
        _ body: (OverlaySnapshot) throws(StorageError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StorageError) {
            return try body(OverlaySnapshot(group))
        } catch {
            throw .storage(error)
        }
    }
}
