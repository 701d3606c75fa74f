extension StoreCheck {
    /// Checks that each token can be read, and that no two have a name or a hash in common.
    mutating func checkAccess() throws(StoreError) {
        let record = try transaction.value(StoreKey.access)
        // Stores of earlier formats that were only read lack it.
        if let record, AccessRecord(record) == nil {
            report.add("access-damaged", "\(record.count) bytes")
        }
        var names: Set<String> = []
        var hashes: Set<[UInt8]> = []
        try scan(StoreKey.tokenPrefix) { check, key, value in
            guard let token = TokenRecord(key, value) else {
                return check.report.add("token-damaged", "\(value.count) bytes")
            }
            if !names.insert(token.name).inserted || !hashes.insert(token.hash).inserted {
                check.report.add("token-twice", token.name)
            }
        }
    }
}
