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
            code = put(change.key, change.value, cursor, &didChange)
            guard code == MDB_SUCCESS else { return (code, didChange) }
        }
        return (MDB_SUCCESS, didChange)
    }

    /// Applies the runs of a checkpoint, the newest first, as one sorted batch, and makes sure that the
    /// transaction has something to commit.
    ///
    /// - Returns: liblmdb's return code.
    func apply(_ runs: [ChangeRun]) -> Int32 {
        var opened: OpaquePointer?
        var code = mdb_cursor_open(handle, database, &opened)
        guard code == MDB_SUCCESS, let cursor = opened else { return code }
        defer { mdb_cursor_close(cursor) }

        var didChange = false
        var changes = RecentCursor(runs)
        while let change = changes.change {
            code = put(change.keyBytes, change.value, cursor, &didChange)
            guard code == MDB_SUCCESS else { return code }
            changes.advance()
        }
        guard !didChange else { return MDB_SUCCESS }
        // LMDB gives a transaction without changes no number, and the journal counts on one.
        let bytes = [UInt8](repeating: 0xFF, count: limits.keyByteCountMax)
        return bytes.withUnsafeBytes { bytes in
            var key = MDB_val(bytes)
            var value = MDB_val()
            let code = mdb_cursor_put(cursor, &key, &value, UInt32(MDB_NOOVERWRITE))
            return code == MDB_SUCCESS ? mdb_cursor_del(cursor, 0) : code
        }
    }

    /// Stores a value, or removes the key where there is none.
    @inline(__always)
    private func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, _ cursor: OpaquePointer,
        _ didChange: inout Bool
    ) -> Int32 {
        var key = MDB_val(key)
        var code: Int32
        if let value {
            var value = MDB_val(value)
            code = mdb_cursor_put(cursor, &key, &value, 0)
        } else {
            var value = MDB_val()
            code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
            if code == MDB_NOTFOUND { return MDB_SUCCESS }
            if code == MDB_SUCCESS { code = mdb_cursor_del(cursor, 0) }
        }
        if code == MDB_SUCCESS { didChange = true }
        return code
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
