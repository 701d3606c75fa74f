import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The state that the transactions of one commit share: the snapshot they read, the overlay they write, and the
/// counters. Only the writer's thread, or the thread that has its write, uses a group.
final class CommitGroup {
    let snapshot: any StorageSnapshot
    /// The engine's open transaction, once changes have left the overlay for it; it ends with the group.
    private(set) var engineTransaction: (any StorageWriteTransaction)?
    /// The layer below the overlay: the snapshot, or the engine's open transaction.
    private var below: any StorageSnapshot
    let catalog: Catalog
    let rows: RowSchema
    let memory: CommitMemory
    let overlay: Overlay
    /// The commit that the next one follows: the snapshot's, until a part of the group is committed.
    var base: UInt64
    /// The store's state as the last successful member left it.
    var state: StoreState
    /// Whether a member has stored an idempotency record or reserved object keys, which is to be stored even if nothing
    /// else was changed.
    var changesUnversioned = false
    /// The properties of each class with former values in the change log; empty if it keeps no values.
    let kept: [MemberSet]
    /// The change of the schema under way, which learns of every change.
    var migration: StagedMigration?
    /// The faults that successful members have brought to ``migration``.
    var migrationFaults: [StagedMigration.Fault] = []
    /// Counters of the classes that were looked at, by position.
    private(set) var classStates: ContiguousArray<ClassState?>
    /// The longest value that the engine takes.
    let valueByteCountMax: Int
    let keyBuffer: ByteBuffer
    let rowBuffer: ByteBuffer
    /// The chunks of out-of-line values.
    private(set) lazy var overflow = OverflowChunks(self)

    init(
        snapshot: any StorageSnapshot, catalog: Catalog, memory: CommitMemory, state: StoreState,
        valueByteCountMax: Int, kept: LoggedProperties?
    ) {
        self.memory = memory
        self.kept = memory.keptMembers(kept, of: catalog.rows)
        overlay = memory.overlay
        keyBuffer = memory.keyBuffer
        rowBuffer = memory.rowBuffer
        self.snapshot = snapshot
        below = snapshot
        base = snapshot.commit
        self.catalog = catalog
        rows = catalog.rows
        self.state = state
        self.valueByteCountMax = valueByteCountMax
        classStates = ContiguousArray(repeating: nil, count: rows.classes.count)
    }

    /// The number of entries that were read below the overlay.
    var entriesRead: Int { snapshot.entriesRead + (engineTransaction?.entriesRead ?? 0) }

    /// Moves the overlay's changes into the engine's open transaction. The overlay is empty afterwards.
    ///
    /// Nothing that lay in the overlay can be read from then on, and nothing be rolled back to before.
    ///
    /// - `changeCount`: How many changes it gets at a time.
    /// - Throws: ``StorageError``; the group can't be committed then.
    func moveChanges(
        to transaction: any StorageWriteTransaction, changeCount: Int,
        noting note: (StorageBatch) -> Void
    ) throws(StorageError) {
        try overlay.forEachPart(changeCount: changeCount) { part throws(StorageError) in
            note(part)
            try transaction.apply(part)
        }
        overlay.reset()
        engineTransaction = transaction
        below = transaction
    }

    /// Closes the group's snapshot.
    func close() {
        engineTransaction?.close()
        snapshot.close()
    }

    /// The present value of a key: from the overlay, or from the state below it.
    func value(_ key: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeRawBufferPointer? {
        do { return try storedValue(key) } catch { throw .storage(error) }
    }

    /// As ``value(_:)``, with the storage's own error.
    ///
    /// - `ofBase`: Whether to read the value that the transaction began from, if the overlay keeps it.
    func storedValue(
        _ key: UnsafeRawBufferPointer, ofBase: Bool = false
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        switch overlay.entry(key, ofBase: ofBase) {
        case .value(let value): return value
        case .removed: return nil
        case .none: return try below.value(forKey: key)
        }
    }

    /// Walks the present entries of a range in order until `body` returns false, without changing any.
    func scan(
        _ range: KeyRange, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        do { try scanStored(range, expecting: expecting, body) } catch { throw .storage(error) }
    }

    /// As ``scan(_:expecting:_:)``, with the storage's own error, or backwards. The overlay only goes forward, so its part of the
    /// range is collected first when the scan goes backwards.
    ///
    /// - Returns: How many entries of the overlay `body` was given.
    @discardableResult
    func scanStored(
        _ range: KeyRange, reversed: Bool = false, expecting: Int, ofBase: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) -> Int {
        var cursor = Overlay.Cursor(overlay, range, ofBase: ofBase)
        var collected: [(UnsafeRawBufferPointer, Overlay.Entry)] = []
        while reversed, let next = cursor.next() { collected.append(next) }
        var own = reversed ? collected.popLast() : cursor.next()
        var goesOn = true
        var ownCount = 0
        /// Hands over the overlay's next entry, unless it is a removal.
        func giveOwn(_ key: UnsafeRawBufferPointer, _ entry: Overlay.Entry) {
            own = reversed ? collected.popLast() : cursor.next()
            guard case .value(let value) = entry else { return }
            ownCount += 1
            goesOn = body(key, value)
        }
        try below.scan(range, reversed: reversed, expecting: expecting) { key, value in
            while goesOn, let (ownKey, entry) = own {
                let order = compareKeys(ownKey, key)
                if reversed ? order < 0 : order > 0 { break }
                giveOwn(ownKey, entry)
                if order == 0 { return goesOn }
            }
            if goesOn { goesOn = body(key, value) }
            return goesOn
        }
        while goesOn, let (ownKey, entry) = own { giveOwn(ownKey, entry) }
        return ownCount
    }

    func classState(_ rowClass: RowClass) throws(StoreError) -> ClassState {
        if let state = classStates[rowClass.index] { return state }
        let key = keyBuffer.making { StoreKey.appendClassState(rowClass.number, to: $0) }
        let state = try ClassState(stored: value(key))
        classStates[rowClass.index] = state
        return state
    }

    /// Replaces the counters of a class, by position.
    func setClassState(_ index: Int, _ state: ClassState) { classStates[index] = state }
}

// The objects as the transactions of a group see them.
extension CommitGroup {
    /// The row of an object; nil if there is no such object.
    func row(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) -> RowView? {
        let rowKey = keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) }
        guard let bytes = try value(rowKey) else { return nil }
        return try rowClass.row(bytes)
    }

    /// The key of a primary key.
    ///
    /// - `encode`: Appends the ``OrderedKey``.
    func primaryKey(_ rowClass: RowClass, _ encode: (ByteBuffer) -> Void) -> StoredPrimaryKey {
        StoredPrimaryKey(
            bytes: memory.primaryKeyBuffer.making {
                StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0)
                encode($0)
            })
    }

    /// The object key that a primary key leads to, of an object that is there or that is awaited.
    func objectKey(_ primaryKey: StoredPrimaryKey) throws(StoreError) -> UInt64? {
        try value(primaryKey.bytes).flatMap(StoreKey.mappedObjectKey)
    }

    /// The object that a primary key leads to. Cost: one look-up if ``CommitMemory/primaryKeys`` has it, otherwise two.
    func object(
        _ rowClass: RowClass, _ primaryKey: StoredPrimaryKey
    ) throws(StoreError) -> FoundObject {
        let value = primaryKey.value
        let cache = memory.primaryKeys
        let hash = PrimaryKeyCache.hash(rowClass.number, value)
        if let key = cache.objectKey(rowClass, hash), let row = try row(rowClass, key),
            rowClass.has(value, in: row, buffer: keyBuffer)
        {
            return FoundObject(key: key, row: row, primaryKey: primaryKey)
        }
        guard let key = try objectKey(primaryKey) else {
            return FoundObject(primaryKey: primaryKey)
        }
        let row = try row(rowClass, key)
        if row != nil { cache.keep(rowClass, key, hash) }
        return FoundObject(key: key, row: row, primaryKey: primaryKey)
    }
}
