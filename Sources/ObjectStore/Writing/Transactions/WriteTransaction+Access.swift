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

    /// Stores whether a user is let in, and removes the records that nothing depends on any more: they bar no user, and the
    /// change log begins behind their access versions. Cost: a look at each record of a user.
    package func putUser(_ user: UserRecord) throws(StoreError) {
        var records = try withSnapshot { snapshot throws(StorageError) in
            try StoredAccess.users(in: snapshot)
        }
        var user = user
        if let index = records.firstIndex(where: { $0.id.isSame(as: user.id) }) {
            let former = records.remove(at: index)
            let isLifted = former.horizon > .min && former.horizon != user.horizon
            user.accessVersion = isLifted ? baseVersion : former.accessVersion
        }
        let key = keyBuffer.making { StoreKey.appendUser(user.id, to: $0) }
        overlay.put(key, rowBuffer.making { user.append(to: $0) })
        for record in records + [user]
        where record.horizon == .min && record.accessVersion < group.state.logFirst {
            overlay.remove(keyBuffer.making { StoreKey.appendUser(record.id, to: $0) })
        }
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

extension CommitGroup {
    /// The access document as the group has it.
    func accessDocument() throws(StoreError) -> StoredDocument? {
        let key = keyBuffer.making { $0.append(StoreKey.accessDocument) }
        guard let bytes = try value(key) else { return nil }
        guard let document = StoredDocument(bytes) else { throw .storage(StoredAccess.damaged) }
        return document
    }

    /// Has the document be the store's.
    func putAccessDocument(_ document: StoredDocument) {
        StoreKey.accessDocument.withUnsafeBytes { key in
            _ = overlay.put(key, rowBuffer.making { document.append(to: $0) })
        }
    }
}

extension WriteTransaction {
    /// The access document, as the transaction sees it; nil if no document was set.
    package func accessDocument() throws(StoreError) -> StoredDocument? {
        try group.accessDocument()
    }

    /// Sets the access document. It makes no version, as tokens don't.
    package func putAccessDocument(_ document: StoredDocument) {
        group.putAccessDocument(document)
        changesAccess = true
    }
}
