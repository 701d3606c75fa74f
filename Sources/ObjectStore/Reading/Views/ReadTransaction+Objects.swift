import HoldfastRows
import HoldfastStorage

extension ReadTransaction {
    /// The number of row copies that it has made; nil for a view that makes no copies.
    var shownMark: RowCopies.Mark? { restricted?.shownMark }

    /// Releases the copies that were made since. No row of these copies may be in use.
    func releaseShown(to mark: RowCopies.Mark?) {
        if let mark { restricted?.releaseCopies(to: mark) }
    }

    /// The store's columns; nil for an uncommitted state.
    var columns: ColumnStore? { source.columns }
    package var epoch: UInt64 { source.epoch }
    /// The number of the commit that the view sees.
    package var commit: UInt64 { snapshot.commit }
    /// The number of entries of storage read so far.
    package var entriesRead: Int { snapshot.entriesRead }

    /// Throws if the objects found on the view must not be used: storage failed in a call without `throws`, or the budget has.
    package func checkFailure() throws(StoreError) {
        if let failure { throw .storage(failure) }
        if let failure = budget.failure { throw .stopped(failure) }
    }

    // MARK: Time

    /// Bounds the time of later evaluations, and the memory that they collect. A view on which an evaluation was given up stays
    /// given up.
    ///
    /// - `deadline`: In milliseconds of the monotonic clock.
    package func limitFollowing(until deadline: UInt64, memoryByteCountMax byteCount: Int? = nil) {
        budget.limit(until: deadline, memoryByteCountMax: byteCount)
    }

    /// Begins another evaluation that does not depend on the earlier ones: for views that outlive their evaluations, such as the
    /// feed's.
    ///
    /// - `deadline`: In milliseconds of the monotonic clock.
    package func beginFollowing(until deadline: UInt64 = .max) { budget.begin(until: deadline) }

    /// Whether an evaluation was given up: its results since then are not to be used.
    package var isLate: Bool { budget.failure != nil }

    /// The turn that evaluations on the view run in; when it is not to continue, they end as if their time
    /// were over. Nil where they run by themselves. Closing the view lets go of it.
    package var timeSlice: (any TimeSlice)? {
        get { budget.timeSlice }
        set { budget.timeSlice = newValue }
    }

    // MARK: Objects

    package func find(_ rowClass: RowClass, primaryKey: UnsafeRawBufferPointer)
        throws(StoreError) -> (key: UInt64, row: RowView)?
    {
        keyBuffer.removeAll()
        StoreKey.appendRowPrefix(rowClass, to: keyBuffer)
        let prefixByteCount = keyBuffer.count
        StoreKey.appendPrimaryKeyPrefix(rowClass, to: keyBuffer)
        keyBuffer.append(primaryKey)
        let prefix = UnsafeRawBufferPointer(rebasing: keyBuffer.bytes[..<prefixByteCount])
        let mapKey = UnsafeRawBufferPointer(rebasing: keyBuffer.bytes[prefixByteCount...])
        let found: (link: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?)
        do { found = try snapshot.follow(mapKey, prefix: prefix) } catch { throw .storage(error) }
        guard let link = found.link, link.count == 8, let bytes = found.value else { return nil }
        let key = UInt64(bigEndian: link.loadUnaligned(as: UInt64.self))
        return try shown(rowClass, key, rowClass.row(bytes)).map { (key, $0) }
    }

    /// Finds an object by its primary key.
    package func find(
        _ rowClass: RowClass, primaryKey: OrderedKey
    ) throws(StoreError) -> (key: UInt64, row: RowView)? {
        let found: Result<(key: UInt64, row: RowView)?, StoreError> = primaryKey.bytes
            .withUnsafeBytes { bytes in
                do throws(StoreError) {
                    return .success(try find(rowClass, primaryKey: bytes))
                } catch { return .failure(error) }
            }
        return try found.get()
    }

    /// Finds an object by its primary key, with one look-up instead of two if `cache` knows the way.
    package func find(
        _ rowClass: RowClass, primaryKey: UnsafeRawBufferPointer, cache: PrimaryKeyCache
    ) throws(StoreError) -> (key: UInt64, row: RowView)? {
        let hash = PrimaryKeyCache.hash(rowClass.number, primaryKey)
        if let key = cache.objectKey(rowClass, hash), let row = try find(rowClass, key: key),
            rowClass.has(primaryKey, in: row, buffer: keyBuffer)
        {
            return (key, row)
        }
        guard let found = try find(rowClass, primaryKey: primaryKey) else { return nil }
        cache.keep(rowClass, found.key, hash)
        return found
    }

    /// Finds the row of an object by its object key; nil if it does not exist.
    package func find(_ rowClass: RowClass, key: UInt64) throws(StoreError) -> RowView? {
        guard let bytes = try value(keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) })
        else { return nil }
        return shown(rowClass, key, try rowClass.row(bytes))
    }

    /// Whether the view shows a part of the store.
    package var showsPart: Bool { restricted != nil }

    /// The properties that the view hides of an object; nil where it shows no such object.
    func hiddenProperties(of identity: ObjectIdentity) -> MemberSet? {
        guard let restricted else {
            return row(classIndex: identity.classIndex, key: identity.key).map { _ in MemberSet() }
        }
        return restricted.hiddenProperties(of: identity)
    }

    /// Returns the visible part of an object whose row was found otherwise; nil if the view hides it.
    @inline(__always)
    package func shown(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) -> RowView? {
        guard let restricted else { return row }
        return restricted.show(rowClass, key, row)
    }

    /// Finds an object that a client already knows, only for its key: the row is the stored one, even if the view hides it. Nil
    /// also if it can't be read.
    package func rowForKey(of identity: ObjectIdentity) -> RowView? {
        unrestricted.row(classIndex: identity.classIndex, key: identity.key)
    }

    /// The visibility of the view; nil for everything.
    package var visibility: Visibility? { restricted?.visibility }

    /// Whether the view may hide objects of a class, so that to count them is a query.
    package func mayHideObjects(of rowClass: RowClass) -> Bool {
        restricted?.visibility.mayHideObjects(of: rowClass.index) ?? false
    }

    /// Counts the objects of a class. Cost: one look-up; where some of them may be hidden, that of a query.
    package func count(_ rowClass: RowClass) throws(StoreError) -> Int {
        guard mayHideObjects(of: rowClass) else { return Int(try classState(rowClass).count) }
        let limits = QueryLimits(
            deadlineMilliseconds: budget.deadlineMilliseconds,
            memoryByteCountMax: budget.memoryByteCountMax)
        let query = ObjectQuery(classIndex: rowClass.index).counted
        return try QueryExecution(query, in: self, limits: limits).count()
    }

    /// Reads the counters of a class, which count hidden objects too. Cost: one look-up.
    package func classState(_ rowClass: RowClass) throws(StoreError) -> ClassState {
        if let changes { return try changes.classState(rowClass) }
        let key = keyBuffer.making { StoreKey.appendClassState(rowClass.number, to: $0) }
        return try ClassState(stored: value(key))
    }

    func value(_ key: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeRawBufferPointer? {
        do { return try snapshot.value(forKey: key) } catch { throw .storage(error) }
    }

    /// Reads the value of a key that is an array.
    func value(_ key: [UInt8]) throws(StoreError) -> UnsafeRawBufferPointer? {
        do { return try snapshot.value(key) } catch { throw .storage(error) }
    }

    /// Reads the store's state as of this view.
    package func state() throws(StoreError) -> StoreState {
        if let changes { return try changes.state() }
        guard let state = try value(StoreKey.state).flatMap({ StoreState($0) }) else {
            throw .storage(StorageError(.corrupted, operation: "read state"))
        }
        return state
    }

    /// Returns when a version was committed, in milliseconds since 1970; nil if the change log does not have it.
    package func milliseconds(ofVersion number: UInt64) throws(StoreError) -> UInt64? {
        let key = StoreKey.bytes { StoreKey.appendChangeLog(number, to: $0) }
        return try value(key).flatMap { $0.count < 8 ? nil : $0.loadUnaligned(as: UInt64.self) }
    }

    /// Walks the rows of a class in the order of their object keys until `body` returns false.
    ///
    /// A view that shows a part hands over copies, which are valid until `body` returns.
    ///
    /// - `after`: Starts behind this object key.
    /// - `expecting`: The number of rows likely to be taken.
    /// - `hidden`: Is called with the object key of a row that the view does not show; false ends the walk.
    package func scan(
        _ rowClass: RowClass, after: UInt64 = 0, reversed: Bool = false, expecting: Int = 1024,
        hidden: (UInt64) -> Bool = { _ in true }, _ body: (_ key: UInt64, _ row: RowView) -> Bool
    ) throws(StoreError) {
        guard after < .max else { return }
        let range = StoreKey.rows(rowClass, after: after)
        var isDamaged = false
        do {
            try snapshot.scan(range, reversed: reversed, expecting: expecting) { key, value in
                guard let row = RowView(value), rowClass.canRead(row) else {
                    isDamaged = true
                    return false
                }
                let key = StoreKey.trailingObjectKey(key)
                guard let restricted else { return body(key, row) }
                return restricted.withStep {
                    guard budget.spend() else { return false }
                    return restricted.show(rowClass, key, row).map { body(key, $0) } ?? hidden(key)
                }
            }
        } catch { throw .storage(error) }
        if isDamaged { throw .storage(StorageError(.corrupted, operation: "scan rows")) }
    }
}

extension RowClass {
    /// Returns the row of an object of the class, as it is stored.
    @inline(__always)
    func row(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> RowView {
        guard let row = RowView(bytes), canRead(row) else {
            throw .storage(StorageError(.corrupted, operation: "read row"))
        }
        return row
    }
}
