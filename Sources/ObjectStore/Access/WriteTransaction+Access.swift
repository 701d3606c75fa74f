import HoldfastBytes
import HoldfastStorage

// Tokens are no objects: changing one makes no version, and no stream tells of it.
extension WriteTransaction {
    /// The access to the store, as the transaction sees it.
    package func access() throws(StoreError) -> StoredAccess {
        try withSnapshot { snapshot throws(StorageError) in try StoredAccess(snapshot) }
    }

    /// Stores a token under its number, and has requests need one from now on.
    package func putToken(_ token: TokenRecord) throws(StoreError) {
        let key = keyBuffer.making { StoreKey.appendToken(token.number, to: $0) }
        overlay.put(key, rowBuffer.making { token.append(to: $0) })
        try setNeedsToken(true)
    }

    /// Removes the token of a number; requests need one all the same.
    package func removeToken(_ number: UInt64) {
        overlay.remove(keyBuffer.making { StoreKey.appendToken(number, to: $0) })
        changesAccess = true
    }

    /// Stores what is said of a user.
    package func putUser(_ user: UserRecord) {
        let key = keyBuffer.making { StoreKey.appendUser(user.id, to: $0) }
        overlay.put(key, rowBuffer.making { user.append(to: $0) })
        changesAccess = true
    }

    /// Removes what is said of a user.
    package func removeUser(_ id: String) {
        overlay.remove(keyBuffer.making { StoreKey.appendUser(id, to: $0) })
        changesAccess = true
    }

    /// Says whether requests need a token.
    package func setNeedsToken(_ isNeeded: Bool) throws(StoreError) {
        changesAccess = true
        let key = keyBuffer.making { $0.append(StoreKey.access) }
        guard var record = try group.value(key).flatMap({ AccessRecord($0) }) else {
            throw .storage(StoredAccess.damaged)
        }
        guard record.needsToken != isNeeded else { return }
        record.needsToken = isNeeded
        overlay.put(key, rowBuffer.making { record.append(to: $0) })
    }
}
