import CLMDB
import Storage

extension LMDBTransaction {
    /// Throws when a key or value of `batch` is out of bounds; nothing is applied before.
    static func check(_ batch: StorageBatch, limits: StorageLimits) throws(StorageError) {
        for change in batch.changes {
            guard change.key.count > 0, change.key.count <= limits.keyByteCountMax else {
                throw StorageError(.badKey, operation: "commit")
            }
            if let value = change.value, value.count > limits.valueByteCountMax {
                throw StorageError(.valueTooLong, operation: "commit")
            }
        }
    }

    /// Applies a checked batch to a write transaction, with one cursor.
    ///
    /// The cursor stays on the page of the last change, and LMDB looks there first: neighbouring
    /// changes are found without a walk from the root.
    /// - Returns: liblmdb's return code, and whether anything was changed: a commit that changes
    ///   nothing makes no new state.
    func apply(_ batch: StorageBatch) -> (code: Int32, didChange: Bool) {
        var opened: OpaquePointer?
        var code = mdb_cursor_open(handle, database, &opened)
        guard code == MDB_SUCCESS, let cursor = opened else { return (code, false) }
        defer { mdb_cursor_close(cursor) }

        var didChange = false
        for range in batch.removedRanges where !range.isEmpty {
            code = remove(range, cursor, &didChange)
            guard code == MDB_SUCCESS else { return (code, didChange) }
        }
        for change in batch.changes {
            var key = MDB_val(change.key)
            if let bytes = change.value {
                var value = MDB_val(bytes)
                code = mdb_cursor_put(cursor, &key, &value, 0)
            } else {
                var value = MDB_val()
                code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
                if code == MDB_NOTFOUND { continue }
                if code == MDB_SUCCESS { code = mdb_cursor_del(cursor, 0) }
            }
            guard code == MDB_SUCCESS else { return (code, didChange) }
            didChange = true
        }
        return (MDB_SUCCESS, didChange)
    }

    private func remove(
        _ range: KeyRange, _ cursor: OpaquePointer, _ didChange: inout Bool
    ) -> Int32 {
        let (code, count) = range.lower.withUnsafeBytes { lower in
            guard let upper = range.upper else { return remove(from: lower, to: nil, cursor) }
            return upper.withUnsafeBytes { remove(from: lower, to: ScanBound($0), cursor) }
        }
        if count > 0 { didChange = true }
        return code
    }

    private func remove(
        from lower: UnsafeRawBufferPointer, to upper: ScanBound?, _ cursor: OpaquePointer
    ) -> (code: Int32, count: Int) {
        var key = MDB_val(lower)
        var value = MDB_val()
        var count = 0
        var code = mdb_cursor_get(
            cursor, &key, &value, lower.count == 0 ? MDB_FIRST : MDB_SET_RANGE)
        while code == MDB_SUCCESS {
            if let upper, !upper.isAbove(UnsafeRawBufferPointer(key)) { return (code, count) }
            code = mdb_cursor_del(cursor, 0)
            guard code == MDB_SUCCESS else { return (code, count) }
            count += 1
            // The deletion left the cursor on the entry that followed; LMDB knows and stays there.
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        return (code == MDB_NOTFOUND ? MDB_SUCCESS : code, count)
    }
}
