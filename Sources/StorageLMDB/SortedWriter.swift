import CHoldfastLMDB
import HoldfastBytes

/// Writes changes to the tree in the order of their keys, with one cursor, and fills pages when many new keys come in a row.
///
/// The cursor stays on the page of the last change, and LMDB looks there first: neighbouring changes are found without a walk
/// from the root.
///
/// LMDB halves a full page. If keys only rise, neither half gets more keys, and they stay half empty. Only if the new key becomes
/// the last of its page does the page stay full and the key begin another. So the end of the tree is dense, but a run of new keys
/// before others is not: the entries after it on its page keep its keys from being the last. Therefore, when a run is as long as
/// a page, the following entries on its page are *parked*: copied, taken out of the tree, and put back in the order of keys,
/// after the run. If little follows up to the end of the tree, all of it is parked. Then each key of the run is the tree's last
/// one, and is appended without a walk from the root, to pages that are filled to the last entry.
///
/// Nothing is lost: ``finish()`` puts back the remaining entries, and a caller that gets an error abandons the transaction.
///
/// Benchmark row: `import`.
struct SortedWriter: ~Copyable {
    /// The knowledge of the entry that follows the last one that was put.
    private enum Following {
        /// It is not known yet.
        case unknown
        /// Its key is in ``bound``; or it was parked.
        case bound
        /// No entry follows: further entries are appended to the tree.
        case nothing
    }

    /// The number of puts after which the following entry is looked up: often enough to find every run that is long enough, and
    /// seldom enough to cost nothing if there is no run.
    private static let probedPutCount = 32
    /// The bytes of a page that are parked even for a short run: the page may refer to long values.
    private static let parkedByteCountMin = 64 << 10
    /// Up to one eighth of a run of this length may be parked, on its page or not.
    private static let longRunByteCount = 256 << 10
    private static let parkedShare = 8

    private let cursor: OpaquePointer
    private let pageByteCount: Int
    /// Whether the tree was changed.
    private(set) var didChange = false
    private var following = Following.unknown
    /// Whether the last change belongs to a run of new keys that is at least a page long. Such a run takes new pages and frees no
    /// page.
    var isInRun: Bool {
        following == .nothing || following == .bound && runByteCount >= pageByteCount
    }
    private let bound = ByteBuffer(capacity: 64)
    private var putCount = 0
    /// The bytes of the keys that were put since the following entry is known; all of these keys are new.
    private var runByteCount = 0
    /// The length that the run needs for the next attempt to park the entries after it.
    private var parkingByteCount = 0
    private var parked = ParkedEntries()

    /// Begins with a new cursor, which no other code may move.
    ///
    /// - `code`: Is set to liblmdb's return code; there is a writer only if that is 0.
    init?(_ transaction: OpaquePointer, _ database: MDB_dbi, code: inout Int32) {
        var status = MDB_stat()
        var opened: OpaquePointer?
        code = mdb_stat(transaction, database, &status)
        if code == MDB_SUCCESS { code = mdb_cursor_open(transaction, database, &opened) }
        guard code == MDB_SUCCESS, let opened else { return nil }
        cursor = opened
        pageByteCount = Int(status.ms_psize)
    }

    deinit { mdb_cursor_close(cursor) }

    /// Stores a value, or removes the key if `value` is nil. The key is above that of the change before.
    ///
    /// - Returns: liblmdb's return code.
    @inline(__always)
    mutating func write(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?
    ) -> Int32 {
        if parked.count > 0 {
            let code = returnParked(before: key)
            guard code == MDB_SUCCESS else { return code }
        }
        guard let value else { return remove(key) }
        if following == .bound, parked.count == 0, compareKeys(key, bound.bytes) >= 0 {
            forgetFollowing()
        }
        let code = put(key, value)
        guard code == MDB_SUCCESS else { return code }
        didChange = true
        switch following {
        case .nothing: return MDB_SUCCESS
        case .bound:
            runByteCount += key.count + value.count
            return runByteCount < parkingByteCount ? MDB_SUCCESS : park()
        case .unknown:
            putCount += 1
            return putCount < Self.probedPutCount ? MDB_SUCCESS : probe()
        }
    }

    /// Puts back the entries that are still parked.
    ///
    /// - Returns: liblmdb's return code.
    mutating func finish() -> Int32 {
        while let entry = parked.first {
            let code = put(entry.key, entry.value)
            guard code == MDB_SUCCESS else { return code }
            parked.removeFirst()
        }
        return MDB_SUCCESS
    }

    // MARK: Single changes

    @inline(__always)
    private func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Int32 {
        var key = MDB_val(key)
        var value = MDB_val(value)
        return mdb_cursor_put(cursor, &key, &value, following == .nothing ? UInt32(MDB_APPEND) : 0)
    }

    private mutating func remove(_ key: UnsafeRawBufferPointer) -> Int32 {
        switch following {
        // After the end of the tree there is nothing to remove; the cursor stays at the end.
        case .nothing: return MDB_SUCCESS
        case .unknown: break
        case .bound:
            guard parked.count == 0 else { return MDB_SUCCESS }
            // This may be the entry that followed.
            forgetFollowing()
        }
        var key = MDB_val(key)
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
        if code == MDB_NOTFOUND { return MDB_SUCCESS }
        if code == MDB_SUCCESS { code = mdb_cursor_del(cursor, 0) }
        if code == MDB_SUCCESS { didChange = true }
        return code
    }

    // MARK: Runs

    /// Puts back the parked entries before `key`, and drops a parked entry with this key.
    private mutating func returnParked(before key: UnsafeRawBufferPointer) -> Int32 {
        while let entry = parked.first {
            let order = compareKeys(entry.key, key)
            if order > 0 { return MDB_SUCCESS }
            if order < 0 {
                let code = put(entry.key, entry.value)
                guard code == MDB_SUCCESS else { return code }
            } else {
                // The entry was replaced or removed: it is out of the tree already.
                didChange = true
            }
            parked.removeFirst()
        }
        if following == .bound { forgetFollowing() }
        return MDB_SUCCESS
    }

    private mutating func forgetFollowing() {
        following = .unknown
        putCount = 0
    }

    /// Finds the entry that follows the one that was just put.
    private mutating func probe() -> Int32 {
        var key = MDB_val()
        var value = MDB_val()
        putCount = 0
        let code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        if code == MDB_NOTFOUND { return beginAppending() }
        guard code == MDB_SUCCESS else { return code }
        bound.removeAll()
        bound.append(UnsafeRawBufferPointer(key))
        following = .bound
        runByteCount = 0
        parkingByteCount = pageByteCount
        return MDB_SUCCESS
    }

    /// Parks the entries after the run on the page of its last key, which was just put; or all entries up to the end of the tree.
    private mutating func park() -> Int32 {
        let byteCountMax = runByteCount / Self.parkedShare
        parkingByteCount = max(Self.longRunByteCount, 2 * runByteCount)
        let countBefore = parked.count
        var countOnPage = countBefore
        var byteCount = 0
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_GET_CURRENT)
        guard code == MDB_SUCCESS else { return code }
        var page = PageSpan(key.mv_data, pageByteCount)
        var isOnPage = true
        while true {
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            guard code == MDB_SUCCESS else { break }
            let wasOnPage = isOnPage
            isOnPage = isOnPage && page.takes(key.mv_data)
            if wasOnPage && !isOnPage { countOnPage = parked.count }
            byteCount += key.mv_size + value.mv_size
            guard
                byteCount <= (isOnPage ? max(byteCountMax, Self.parkedByteCountMin) : byteCountMax)
            else { break }
            parked.append(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(value))
        }
        if code == MDB_NOTFOUND {
            code = takeOutParked(from: countBefore)
            return code == MDB_SUCCESS ? beginAppending() : code
        }
        guard code == MDB_SUCCESS else { return code }
        parked.truncate(to: countOnPage)
        return takeOutParked(from: countBefore)
    }

    private mutating func beginAppending() -> Int32 {
        following = .nothing
        // At the end, the cursor would take its page for the last one and append to it; at the beginning, it finds the last page
        // first.
        var key = MDB_val()
        var value = MDB_val()
        return mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
    }

    /// Takes the entries that were parked last out of the tree.
    ///
    /// - `first`: The number of entries that were parked before.
    private func takeOutParked(from first: Int) -> Int32 {
        guard first < parked.count else { return MDB_SUCCESS }
        var key = MDB_val(parked[first].key)
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
        for index in first..<parked.count {
            // The deletion left the cursor on the next entry; LMDB knows this and stays there.
            if code == MDB_SUCCESS, index > first {
                code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if code == MDB_SUCCESS { code = mdb_cursor_del(cursor, 0) }
            guard code == MDB_SUCCESS else { return code }
        }
        return MDB_SUCCESS
    }
}

/// Whether keys are on one page of a write transaction, judged by their addresses in memory.
///
/// A changed page is a block of its own: a key further away than a page's length is on another page. Two such blocks may be
/// neighbours, so a few keys may be wrongly assigned to the same page.
struct PageSpan {
    private let byteCount: Int
    private var lowest: UInt
    private var highest: UInt

    /// Begins with the page of a key.
    init(_ key: UnsafeMutableRawPointer?, _ byteCount: Int) {
        self.byteCount = byteCount
        lowest = UInt(bitPattern: key)
        highest = lowest
    }

    /// Whether a key may be on the page of all keys that were taken before.
    mutating func takes(_ key: UnsafeMutableRawPointer?) -> Bool {
        let address = UInt(bitPattern: key)
        let low = min(lowest, address)
        let high = max(highest, address)
        guard high - low < UInt(byteCount) else { return false }
        (lowest, highest) = (low, high)
        return true
    }
}

/// Entries that are temporarily removed from the tree, in the order of their keys; see ``SortedWriter``.
struct ParkedEntries {
    private struct Span {
        let start: Int
        let keyByteCount: Int
        let valueByteCount: Int

        var byteCount: Int { keyByteCount + valueByteCount }
    }

    private let bytes = ByteBuffer(capacity: 16)
    private var spans: [Span] = []
    /// The number of entries at the front that are in the tree again.
    private var returnedCount = 0

    /// The number of entries that have not been returned.
    var count: Int { spans.count - returnedCount }

    /// The entry that is returned next; valid until an entry is added.
    @inline(__always)
    var first: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        returnedCount < spans.count ? entry(returnedCount) : nil
    }

    /// An entry that has not been returned; valid until an entry is added.
    subscript(index: Int) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        entry(returnedCount + index)
    }

    private func entry(
        _ index: Int
    ) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let span = spans[index]
        let key = bytes.base + span.start
        return (
            UnsafeRawBufferPointer(start: key, count: span.keyByteCount),
            UnsafeRawBufferPointer(start: key + span.keyByteCount, count: span.valueByteCount)
        )
    }

    /// Adds a copy of an entry after all others.
    mutating func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if count == 0 { removeAll() }
        let span = Span(start: bytes.count, keyByteCount: key.count, valueByteCount: value.count)
        bytes.append(key)
        bytes.append(value)
        spans.append(span)
    }

    /// Drops the last entries, so that `count` are left.
    mutating func truncate(to count: Int) {
        spans.removeSubrange((returnedCount + count)...)
        bytes.truncate(to: spans.last.map { $0.start + $0.byteCount } ?? 0)
    }

    /// Drops the first entry. Its bytes stay valid until an entry is added.
    mutating func removeFirst() { returnedCount += 1 }

    private mutating func removeAll() {
        bytes.removeAll()
        spans.removeAll(keepingCapacity: true)
        returnedCount = 0
    }
}
