import HoldfastStorage

extension StorageSnapshot {
    /// Reads the record of access under a key; nil where there is none.
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
