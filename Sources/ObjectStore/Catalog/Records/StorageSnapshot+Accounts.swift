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
