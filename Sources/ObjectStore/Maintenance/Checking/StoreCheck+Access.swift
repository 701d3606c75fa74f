import HoldfastObjectModel

extension StoreCheck {
    /// Checks that the access document and each token and barred user can be read, and that no two tokens have a name or a hash in
    /// common.
    func checkAccess() throws(StoreError) {
        let record = try transaction.value(StoreKey.access)
        // Stores of earlier formats that were only read lack it.
        if let record, AccessRecord(record) == nil {
            report.add("access-damaged", "\(record.count) bytes")
        }
        let document = try transaction.value(StoreKey.accessDocument)
        if let document, StoredDocument(document) == nil {
            report.add("access-document-damaged", "\(document.count) bytes")
        }
        var names: Set<String> = []
        var hashes: Set<[UInt8]> = []
        try scan(StoreKey.tokenPrefix) { key, value in
            guard let token = TokenRecord(key, value) else {
                return report.add("token-damaged", "\(value.count) bytes")
            }
            if !names.insert(token.name).inserted || !hashes.insert(token.hash).inserted {
                report.add("token-twice", token.name)
            }
        }
        try scan(StoreKey.userPrefix) { key, value in
            if UserRecord(key, value) == nil {
                report.add("user-damaged", "\(value.count) bytes")
            }
        }
    }

    /// Checks that each account can be read and is found by its login, and that logins and sessions are of accounts.
    func checkAccounts() throws(StoreError) {
        var logins: [UUID128: String] = [:]
        try scan(StoreKey.accountPrefix) { key, value in
            guard key.count == StoreKey.accountByteCount,
                let id = StoreKey.accountID(key, at: StoreKey.accountPrefix.count),
                let account = AccountRecord(id, value)
            else { return report.add("account-damaged", "\(value.count) bytes") }
            logins[id] = AccountRecord.key(account.login)
        }
        var found: Set<UUID128> = []
        try scan(StoreKey.loginPrefix) { key, value in
            let login = String(
                validating: key.dropFirst(StoreKey.loginPrefix.count), as: UTF8.self)
            guard let id = StoreKey.accountID(value, at: 0), let login, logins[id] == login else {
                return report.add("login-without-account", "\(key.count) bytes")
            }
            found.insert(id)
        }
        for id in logins.keys where !found.contains(id) {
            report.add("account-without-login", id.description)
        }
        try scan(StoreKey.sessionPrefix) { key, value in
            guard let session = SessionRecord(key, value) else {
                return report.add("session-damaged", "\(value.count) bytes")
            }
            if logins[session.account] == nil {
                report.add("session-without-account", session.account.description)
            }
        }
    }
}
