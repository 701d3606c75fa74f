import HoldfastObjectModel
import HoldfastStorage

extension StorageSnapshot {
    /// Reads the value of a key that is an array.
    func value(_ key: [UInt8]) throws(StorageError) -> UnsafeRawBufferPointer? {
        let result: Result<UnsafeRawBufferPointer?, StorageError> = key.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try value(forKey: bytes) }
        }
        return try result.get()
    }

    func isEmpty() throws(StorageError) -> Bool {
        var isEmpty = true
        try scan(KeyRange(lower: [], upper: nil), reversed: false, expecting: 1) { _, _ in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// Walks the entries of a range in order, or backwards, until `body` returns false or throws.
    @inline(__always)
    func walk(
        _ range: KeyRange, reversed: Bool = false, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var failure: StoreError?
        do throws(StorageError) {
            try scan(range, reversed: reversed, expecting: expecting) { key, value in
                do throws(StoreError) {
                    return try body(key, value)
                } catch {
                    failure = error
                    return false
                }
            }
        } catch { throw .storage(error) }
        if let failure { throw failure }
    }
}

// The accounts and sessions in a snapshot, found by their keys. Cost of each look-up: that of a key.
extension StorageSnapshot {
    func account(_ id: UUID128) throws(StorageError) -> AccountRecord? {
        let key = StoreKey.bytes { StoreKey.appendAccount(id, to: $0) }
        return try record(under: key) { AccountRecord(id, $0) }
    }

    func accountID(login: String) throws(StorageError) -> UUID128? {
        let key = StoreKey.bytes { StoreKey.appendLogin(login, to: $0) }
        return try record(under: key) { StoreKey.accountID($0, at: 0) }
    }

    /// The session of an account by the hash of its token.
    func session(_ hash: [UInt8], of account: UUID128) throws(StorageError) -> SessionRecord? {
        let key = StoreKey.bytes { StoreKey.appendSession(hash, of: account, to: $0) }
        return try record(under: key) { value in key.withUnsafeBytes { SessionRecord($0, value) } }
    }

    /// Reads the record of access under a key; nil without one.
    ///
    /// - `read`: Reads it; nil when it is damaged.
    /// - Throws: ``StorageError`` `.corrupted` when it is.
    func record<Record>(
        under key: [UInt8], _ read: (_ value: UnsafeRawBufferPointer) -> Record?
    ) throws(StorageError) -> Record? {
        guard let value = try self.value(key) else { return nil }
        guard let record = read(value) else { throw StoredAccess.damaged }
        return record
    }

    /// Reads the records of access under the keys of a range, in their order. Cost: a look at each.
    ///
    /// - `read`: Reads one; nil when it is damaged.
    /// - Throws: ``StorageError`` `.corrupted` when one is.
    func records<Record>(
        in range: KeyRange, countMax: Int = .max,
        _ read: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Record?
    ) throws(StorageError) -> [Record] {
        var records: [Record] = []
        var isDamaged = false
        try scan(range, reversed: false, expecting: min(countMax, 16)) { key, value in
            if let record = read(key, value) {
                records.append(record)
            } else {
                isDamaged = true
            }
            return !isDamaged && records.count < countMax
        }
        if isDamaged { throw StoredAccess.damaged }
        return records
    }
}
