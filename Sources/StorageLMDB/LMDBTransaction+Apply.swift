import CHoldfastLMDB
import CHoldfastMemory
import HoldfastStorage

extension LMDBTransaction {
    /// How many changes ahead of their turn the processor is asked for keys: more than come in the time
    /// of a cache miss.
    private static let prefetchedChangeCount = 8

    /// Applies a checked batch to a write transaction.
    ///
    /// - Returns: liblmdb's return code, and whether anything was changed: a commit that changes
    ///   nothing makes no new state.
    func apply(_ batch: StorageBatch) -> (code: Int32, didChange: Bool) {
        var didRemove = false
        var code =
            batch.removedRanges.isEmpty ? MDB_SUCCESS : remove(batch.removedRanges, &didRemove)
        guard code == MDB_SUCCESS else { return (code, didRemove) }
        guard var writer = SortedWriter(handle, database, code: &code) else {
            return (code, didRemove)
        }
        for (index, change) in batch.changes.enumerated() {
            // In the order of keys, they lie anywhere in memory.
            let ahead = index + Self.prefetchedChangeCount
            if ahead < batch.changes.count {
                shim_prefetch(batch.changes[ahead].key.baseAddress)
            }
            code = writer.write(change.key, change.value)
            guard code == MDB_SUCCESS else { return (code, true) }
        }
        code = writer.finish()
        return (code, didRemove || writer.didChange)
    }

    /// Applies the next changes of a checkpoint, and makes sure that the transaction has something to
    /// commit.
    ///
    /// - `changeCountMax`: After so many changes it ends, runs of new keys aside.
    /// - Returns: liblmdb's return code.
    func apply(_ changes: inout RecentCursor, changeCountMax: Int) -> Int32 {
        var code: Int32 = MDB_SUCCESS
        guard var writer = SortedWriter(handle, database, code: &code) else { return code }
        var count = 0
        while count < changeCountMax, let change = changes.change {
            code = writer.write(change.keyBytes, change.value)
            guard code == MDB_SUCCESS else { return code }
            if !writer.isInRun { count += 1 }
            changes.advance()
        }
        code = writer.finish()
        guard code == MDB_SUCCESS, !writer.didChange else { return code }
        // LMDB gives a transaction without changes no number, and the journal counts on one.
        let bytes = [UInt8](repeating: 0xFF, count: limits.keyByteCountMax)
        return bytes.withUnsafeBytes { bytes in
            var key = MDB_val(bytes)
            var value = MDB_val()
            code = mdb_put(handle, database, &key, &value, UInt32(MDB_NOOVERWRITE))
            return code == MDB_SUCCESS ? mdb_del(handle, database, &key, nil) : code
        }
    }

    private func remove(_ ranges: [KeyRange], _ didChange: inout Bool) -> Int32 {
        var opened: OpaquePointer?
        var code = mdb_cursor_open(handle, database, &opened)
        guard code == MDB_SUCCESS, let cursor = opened else { return code }
        defer { mdb_cursor_close(cursor) }
        for range in ranges where !range.isEmpty {
            let walked = range.withBounds { lower, upper in
                walkForwards(cursor, lower: lower, upper: upper) { _, _ in
                    // It leaves the cursor on the entry that follows; LMDB knows and stays there.
                    code = mdb_cursor_del(cursor, 0)
                    didChange = didChange || code == MDB_SUCCESS
                    return code == MDB_SUCCESS
                }
            }
            if code == MDB_SUCCESS { code = walked.code }
            guard code == MDB_SUCCESS else { return code }
        }
        return MDB_SUCCESS
    }
}
