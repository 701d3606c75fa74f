import CHoldfastLMDB
import CHoldfastMemory
import Glibc
import HoldfastBytes
import HoldfastStorage

/// An LMDB transaction with its cursors, through which snapshots and write transactions read.
///
/// Read transactions are kept and used again: ending one with `mdb_txn_reset` keeps its slot in the reader table, and
/// `mdb_txn_renew` then costs some tens of nanoseconds without a lock or an allocation. Its cursors are kept with it; each scan
/// takes one, so that scans can nest.
///
/// `@unchecked Sendable`: used by one snapshot or writer at a time, which makes one call at a time, and handed from one to the
/// next through the lock of the environment's pool. LMDB allows that for read transactions under `MDB_NOTLS`; a write transaction
/// never leaves its thread.
final class LMDBTransaction: @unchecked Sendable {
    let handle: OpaquePointer
    let database: MDB_dbi
    let limits: StorageLimits
    private let isReadOnly: Bool
    /// Whether the transaction is kept for another snapshot when it ends.
    let isPooled: Bool
    private var idleCursors: [OpaquePointer] = []
    /// The longest entry that a scan prefetches. Of a longer entry a scan reads little, or reading it takes longer than a cache
    /// miss.
    private static let prefetchedByteCountMax: UInt = 768

    init(
        handle: OpaquePointer, database: MDB_dbi, limits: StorageLimits, isReadOnly: Bool,
        isPooled: Bool = true
    ) {
        self.handle = handle
        self.database = database
        self.limits = limits
        self.isReadOnly = isReadOnly
        self.isPooled = isPooled
    }

    /// The number of the tree's transaction that a read transaction sees.
    var number: UInt64 { UInt64(mdb_txn_id(handle)) }

    /// Returns the value of `key`, valid until the transaction ends or writes.
    @inline(__always)
    func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard key.count > 0, key.count <= limits.keyByteCountMax else {
            throw StorageError(.badKey, operation: "get")
        }
        var lmdbKey = MDB_val(key)
        var lmdbValue = MDB_val()
        let code = mdb_get(handle, database, &lmdbKey, &lmdbValue)
        if code == MDB_SUCCESS { return UnsafeRawBufferPointer(lmdbValue) }
        if code == MDB_NOTFOUND { return nil }
        throw StorageError(lmdb: code, operation: "get")
    }

    /// Visits a range as ``StorageSnapshot/scan(_:reversed:expecting:_:)`` requires.
    ///
    /// - Returns: The number of entries that were passed to `body`.
    func scan(
        _ range: KeyRange, reversed: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) -> Int {
        guard !range.isEmpty else { return 0 }
        let cursor = try takeCursor()
        defer { idleCursors.append(cursor) }
        let (code, count) = range.withBounds { lower, upper in
            reversed
                ? walkBackwards(cursor, lower: lower, upper: upper, body)
                : walkForwards(cursor, lower: lower, upper: upper, body)
        }
        try StorageError.require(lmdb: code, "scan")
        return count
    }

    /// Visits a range of the tree, with the changes that the tree lacks over it.
    ///
    /// - `recent`: A cursor at the first change of the range, or the last if reversed.
    /// - Returns: The number of entries that were passed to `body`.
    func scan(
        _ range: KeyRange, reversed: Bool, under recent: RecentCursor,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) -> Int {
        var recent = recent
        var count = 0
        var goesOn = true
        let step = reversed ? -1 : 1
        /// Passes on the change ahead, unless it is a removal.
        func give(_ change: ChangeRun.Change) {
            if let value = change.value {
                count += 1
                goesOn = body(change.keyBytes, value)
            }
            recent.advance()
        }
        _ = try scan(range, reversed: reversed) { key, value in
            while goesOn, let change = recent.change {
                let order = compareKeys(change.keyBytes, key) * step
                if order > 0 { break }
                give(change)
                if order == 0 { return goesOn }
            }
            guard goesOn else { return false }
            count += 1
            goesOn = body(key, value)
            return goesOn
        }
        while goesOn, let change = recent.change { give(change) }
        return count
    }

    /// Passes the entries of a range in order to `body` until it returns false. `body` may delete the entry that it receives.
    func walkForwards(
        _ cursor: OpaquePointer, lower: UnsafeRawBufferPointer, upper: UnsafeRawBufferPointer?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> (code: Int32, count: Int) {
        var key = MDB_val(lower)
        var value = MDB_val()
        var count = 0
        var code = mdb_cursor_get(
            cursor, &key, &value, lower.count == 0 ? MDB_FIRST : MDB_SET_RANGE)
        let bound = upper.map { ScanBound($0) }
        var before = UInt(bitPattern: key.mv_data)
        while code == MDB_SUCCESS {
            let keyBytes = UnsafeRawBufferPointer(key)
            if let bound, !bound.isAbove(keyBytes) { break }
            count += 1
            let here = UInt(bitPattern: key.mv_data)
            let step = before &- here
            if step < Self.prefetchedByteCountMax { shim_prefetch_below(key.mv_data, Int(step)) }
            before = here
            guard body(keyBytes, UnsafeRawBufferPointer(value)) else { break }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        return (code == MDB_NOTFOUND ? MDB_SUCCESS : code, count)
    }

    private func walkBackwards(
        _ cursor: OpaquePointer, lower: UnsafeRawBufferPointer, upper: UnsafeRawBufferPointer?,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) -> (code: Int32, count: Int) {
        var key = MDB_val()
        var value = MDB_val()
        var code: Int32
        if let upper {
            // The last key below the bound is the one before the first key at or above it.
            key = MDB_val(upper)
            code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
            if code == MDB_SUCCESS {
                code = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
            } else if code == MDB_NOTFOUND {
                code = mdb_cursor_get(cursor, &key, &value, MDB_LAST)
            }
        } else {
            code = mdb_cursor_get(cursor, &key, &value, MDB_LAST)
        }
        let bound = ScanBound(lower)
        var count = 0
        while code == MDB_SUCCESS {
            let keyBytes = UnsafeRawBufferPointer(key)
            guard !bound.isAbove(keyBytes) else { break }
            count += 1
            guard body(keyBytes, UnsafeRawBufferPointer(value)) else { break }
            code = mdb_cursor_get(cursor, &key, &value, MDB_PREV)
        }
        return (code == MDB_NOTFOUND ? MDB_SUCCESS : code, count)
    }

    /// Returns a cursor without a position. Return it by adding it to `idleCursors`.
    private func takeCursor() throws(StorageError) -> OpaquePointer {
        if let cursor = idleCursors.popLast() {
            // A kept cursor of a read transaction still points at the pages of an older state.
            guard isReadOnly else { return cursor }
            let code = mdb_cursor_renew(handle, cursor)
            guard code == MDB_SUCCESS else {
                idleCursors.append(cursor)
                throw StorageError(lmdb: code, operation: "scan")
            }
            return cursor
        }
        var opened: OpaquePointer?
        let code = mdb_cursor_open(handle, database, &opened)
        guard code == MDB_SUCCESS, let cursor = opened else {
            throw StorageError(lmdb: code, operation: "scan")
        }
        return cursor
    }

    /// Frees the cursors. Call it before a write transaction ends, and before a read transaction is freed.
    func closeCursors() {
        for cursor in idleCursors { mdb_cursor_close(cursor) }
        idleCursors.removeAll()
    }
}

extension MDB_val {
    /// Refers to bytes for LMDB, which only reads through the pointer of a key, or of a value that it stores.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}

extension UnsafeRawBufferPointer {
    /// Refers to the bytes that LMDB returned.
    @inline(__always)
    init(_ value: MDB_val) {
        self.init(start: value.mv_data, count: value.mv_size)
    }
}

extension LMDBTransaction {
    /// The number of changes by which keys are prefetched ahead: more than are written in the time of a cache miss.
    private static let prefetchedChangeCount = 8

    /// Applies a checked batch to a write transaction.
    ///
    /// - Returns: liblmdb's return code, and whether anything was changed: a commit that changes nothing makes no new state.
    func apply(_ batch: StorageBatch) -> (code: Int32, didChange: Bool) {
        var didRemove = false
        var code =
            batch.removedRanges.isEmpty ? MDB_SUCCESS : remove(batch.removedRanges, &didRemove)
        guard code == MDB_SUCCESS else { return (code, didRemove) }
        guard var writer = SortedWriter(handle, database, code: &code) else {
            return (code, didRemove)
        }
        for (index, change) in batch.changes.enumerated() {
            // The changes are in the order of keys, which are scattered in memory.
            let ahead = index + Self.prefetchedChangeCount
            if ahead < batch.changes.count { shim_prefetch(batch.changes[ahead].key.baseAddress) }
            code = writer.write(change.key, change.value)
            guard code == MDB_SUCCESS else { return (code, true) }
        }
        code = writer.finish()
        return (code, didRemove || writer.didChange)
    }

    /// Applies the next changes of a checkpoint, and makes sure that the transaction has something to commit.
    ///
    /// - `changeCountMax`: The most changes, apart from runs of new keys.
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
        // LMDB gives a transaction without changes no number, and the journal needs one.
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
                    // The deletion leaves the cursor on the next entry; LMDB knows this and stays there.
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

/// A bound of a scan, compared with every key that the scan meets.
///
/// Nearly all keys differ from the bound in their first eight bytes, which are compared as one big-endian number: this costs a
/// nanosecond, and `memcmp` costs five.
struct ScanBound {
    private let bytes: UnsafeRawBufferPointer
    private let head: UInt64

    /// Creates a bound from bytes that have to stay valid as long as it is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        // A shorter bound is filled up with zeros. A key with a lower head is below the bound, a key with a higher head is above
        // it, and equal heads need the full comparison.
        var head: UInt64 = 0
        for index in 0..<8 { head = head << 8 | UInt64(index < bytes.count ? bytes[index] : 0) }
        self.head = head
    }

    /// Whether `key` sorts before the bound.
    @inline(__always)
    func isAbove(_ key: UnsafeRawBufferPointer) -> Bool {
        if key.count >= 8 {
            let keyHead = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
            if keyHead != head { return keyHead < head }
        }
        return compareKeys(key, bytes) < 0
    }
}
