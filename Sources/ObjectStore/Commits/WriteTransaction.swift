import Bytes
import ObjectModel
import Rows
import Storage

/// One atomic change of the store, run by the writer.
///
/// It sees the changes of the transactions before it in its group and leaves nothing behind when its
/// body throws. Its body may be run again from the beginning, on a newer state. Rows that it hands out
/// are valid while the body runs.
package final class WriteTransaction {
    let group: CommitGroup
    // What the group and its memory have is held here as well: reached through them, each use counts
    // references up and down.
    let rows: RowSchema
    let memory: CommitMemory
    let overlay: Overlay
    let overflow: OverflowChunks
    let rowBuilder: RowBuilder
    let keyBuffer: ByteBuffer
    let mapKeyBuffer: ByteBuffer
    let rowBuffer: ByteBuffer
    /// The version that the transaction makes, if it changes anything.
    package private(set) var version: UInt64
    /// The time of the transaction: of `$now`, and in the change log.
    package let now: Timestamp
    /// A number that the caller sets before each operation, returned with dangling links.
    package var source = 0
    /// How many writes and deletions the transaction may contain.
    package var operationCountMax = 100_000
    /// How many bytes the transaction may change, and read for changes; see ``countReading(_:)``.
    package var byteCountMax = 512 << 20
    /// The bytes that the group's changes took when the transaction began.
    private var byteCountBefore = 0
    /// The bytes that were read for changes.
    private var readByteCount = 0
    /// How long and in how much room replies are kept.
    var idempotency = IdempotencyLimits()
    /// Whether the transaction has changed something that makes no version, such as an idempotency record.
    var changesUnversioned = false
    /// The objects that links of the transaction's drafts name by their number.
    package var named: [NamedObject] = []
    /// The object key here of an object that a draft names by the one it has elsewhere, by the position
    /// of its class; nil for one that is not here. Without it drafts name objects by their keys.
    package var keyRenames: ((_ classIndex: Int, _ key: UInt64) -> UInt64?)?

    /// Whether the transaction has reserved object keys.
    var reservesKeys = false
    /// The object keys that were reserved for objects, by the stored form of their primary keys.
    var reservedKeys: [[UInt8]: UInt64] = [:]
    /// Whether objects get their keys in the order in which they are made.
    var keyOrder = KeyOrder()

    /// What the transaction did that a change of the schema under way can't take.
    var migrationFaults: [StagedMigration.Fault] = []

    var changes: [ChangeRecord] = []
    /// Where changes stand in ``changes``, once they are many and somebody has looked for one.
    private var changePositions = PositionTable()
    /// How many changes are entered there: the first so many, or none.
    private var enteredChangeCount = 0
    private static let searchedCountMax = 16
    var lostLinks: Set<LostLink> = []
    /// Targets that links name and that are not there yet.
    var pending: [ObjectIdentity: [PendingLink]] = [:]
    /// What has to be unique at the end.
    var uniqueChecks: [UniqueCheck] = []
    /// Where the checks of an attempt begin.
    var attemptedUniqueCheckStart = 0
    /// Deleted objects that others held by links that deny it.
    var heldTargets: [HeldTarget] = []
    var operationCount = 0
    /// Whether changes are noted in ``undo``.
    var isAttempting = false
    /// What an attempt has changed so far, newest last.
    var undo: [Undo] = []
    /// The counters that an attempt has altered, as they were before it.
    var attemptedStates: [StateBefore] = []
    private var mark: Overlay.Mark
    /// The counters that the transaction has altered, as they were before it.
    private(set) var statesBefore: [StateBefore] = []

    /// A link whose target has a key but no row yet.
    struct PendingLink {
        var source: Int
        var draft: ObjectDraft
        var reference: Int
        var path: [DanglingLink.PathStep]
    }

    /// What a class counted at some point.
    struct StateBefore {
        var classIndex: Int
        var state: ClassState
    }

    /// Makes the transactions of a group, one after the other: ``begin()`` is called before each.
    init(group: CommitGroup, now: Timestamp) {
        self.group = group
        rows = group.catalog.rows
        memory = group.memory
        overlay = group.overlay
        overflow = group.overflow
        rowBuilder = group.memory.rowBuilder
        keyBuffer = group.keyBuffer
        mapKeyBuffer = group.memory.mapKeyBuffer
        rowBuffer = group.rowBuffer
        self.now = now
        version = group.state.version + 1
        mark = overlay.mark()
        rowBuilder.overflow = overflow
    }

    /// Begins the next transaction of the group, in the memory of the one before.
    func begin() {
        forget()
        source = 0
        version = group.state.version + 1
        mark = overlay.mark()
        statesBefore.removeAll(keepingCapacity: true)
    }

    /// Forgets what was recorded.
    func forget() {
        truncateChanges(to: 0)
        if !lostLinks.isEmpty { lostLinks.removeAll(keepingCapacity: true) }
        if !pending.isEmpty { pending.removeAll(keepingCapacity: true) }
        if !named.isEmpty { named.removeAll(keepingCapacity: true) }
        if !uniqueChecks.isEmpty { uniqueChecks.removeAll(keepingCapacity: true) }
        if !heldTargets.isEmpty { heldTargets.removeAll() }
        if !migrationFaults.isEmpty { migrationFaults.removeAll() }
        operationCount = 0
        byteCountBefore = overlay.byteCount
        readByteCount = 0
        changesUnversioned = false
        keyRenames = nil
        reservesKeys = false
        if !reservedKeys.isEmpty { reservedKeys.removeAll() }
        keyOrder.removeAll()
    }

    /// The catalog that the transaction sees.
    package var catalog: Catalog { group.catalog }
    /// The epoch of versions.
    package var epoch: UInt64 { group.state.epoch }
    /// The version of the last successful transaction before this one.
    package var baseVersion: UInt64 { group.state.version }
    /// Whether anything was changed so far.
    package var hasChanges: Bool { !changes.isEmpty }

    func countOperation() throws(StoreError) {
        operationCount += 1
        if operationCount > operationCountMax {
            throw .tooManyOperations(limit: operationCountMax)
        }
        try requireRoom()
    }

    /// Counts what is read, parsed and compared to change an object: it holds up the writer as what is
    /// written does, and a request of a few bytes can ask for it again and again.
    package func countReading(_ byteCount: Int) throws(StoreError) {
        readByteCount += byteCount
        try requireRoom()
    }

    /// Refuses a transaction whose changes, which wait in memory, are too many bytes.
    func requireRoom() throws(StoreError) {
        let byteCount = overlay.byteCount - byteCountBefore + readByteCount
        if byteCount > byteCountMax { throw .transactionTooLarge(byteCountMax: byteCountMax) }
    }

    /// Refuses what was made with another schema than the transaction's: positions in it differ.
    func requirePresent(_ rowClass: RowClass) throws(StoreError) {
        guard rowClass.index < rows.classes.count, rows.classes[rowClass.index] === rowClass else {
            throw .schemaRevision(current: catalog.schema.revision)
        }
    }

    // MARK: Reading

    func value(_ key: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeRawBufferPointer? {
        try group.value(key)
    }

    /// Walks the present entries of a range in order until `body` returns false, without changing any.
    func scan(
        _ range: KeyRange, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        do { try group.scan(range, expecting: expecting, body) } catch { throw .storage(error) }
    }

    /// The object key that a primary key leads to, of an object that is there or that is awaited.
    ///
    /// - `isLink`: Whether it is the target of a link.
    /// - `encode`: Appends the ``OrderedKey``; it stays in ``CommitMemory/mapKeyBuffer`` behind the class.
    func objectKey(
        _ rowClass: RowClass, isLink: Bool, _ encode: (ByteBuffer) -> Void
    ) throws(StoreError) -> UInt64? {
        let key = mapKeyBuffer.making {
            StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0)
            encode($0)
        }
        do { return try group.objectKey(key, isLink: isLink) } catch { throw .storage(error) }
    }

    /// The row of an object; nil when there is none.
    package func row(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) -> RowView? {
        let rowKey = keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) }
        guard let bytes = try value(rowKey) else { return nil }
        return try rowClass.row(bytes)
    }

    /// Finds an object by its primary key.
    package func find(_ rowClass: RowClass, primaryKey: OrderedKey)
        throws(StoreError) -> (key: UInt64, row: RowView)?
    {
        let found = try object(rowClass) { $0.append(primaryKey.bytes) }
        guard let key = found.key, let row = found.row else { return nil }
        return (key, row)
    }

    // MARK: Recording

    /// Notes a change; an object that is changed again keeps one record.
    ///
    /// - `lists`: Of an update what was done to lists that were not replaced.
    func record(
        _ kind: ChangeRecord.Kind, _ rowClass: RowClass, _ key: UInt64,
        members: MemberSet = MemberSet(), primaryKey: [UInt8] = [], lists: [ListChange] = []
    ) {
        var numbers: [UInt32] = []
        if kind == .update {
            for (member, compiled) in rowClass.members.enumerated() where members.contains(member) {
                numbers.append(compiled.number)
            }
        }
        // An object key is never used again: nothing was noted of a new object.
        if kind != .insert, let position = positionOfChange(rowClass.number, key) {
            if isAttempting {
                undo.append(.alteredChange(position: position, before: changes[position]))
            }
            switch (changes[position].kind, kind) {
            case (.insert, .update): break
            case (.update, .update): changes[position].add(numbers, lists)
            default:
                // What follows an insertion or update is a deletion.
                changes[position].kind = kind
                changes[position].properties = []
                changes[position].primaryKey = primaryKey
                changes[position].lists = []
            }
            return
        }
        changes.append(
            ChangeRecord(
                kind: kind, classNumber: rowClass.number, key: key, properties: numbers,
                primaryKey: primaryKey, lists: lists))
    }

    private func positionOfChange(_ classNumber: UInt32, _ key: UInt64) -> Int? {
        if changes.count <= Self.searchedCountMax {
            return changes.firstIndex { $0.key == key && $0.classNumber == classNumber }
        }
        while enteredChangeCount < changes.count {
            let change = changes[enteredChangeCount]
            changePositions.insert(
                enteredChangeCount, changePositions.hash(change.classNumber, change.key))
            enteredChangeCount += 1
        }
        return changePositions.position(changePositions.hash(classNumber, key)) {
            changes[$0].key == key && changes[$0].classNumber == classNumber
        }
    }

    /// Takes back the newest records.
    func truncateChanges(to count: Int) {
        if count <= Self.searchedCountMax {
            changePositions.removeAll()
            enteredChangeCount = 0
        }
        while enteredChangeCount > count {
            enteredChangeCount -= 1
            let change = changes[enteredChangeCount]
            changePositions.remove(
                enteredChangeCount, changePositions.hash(change.classNumber, change.key))
        }
        if changes.count > count { changes.removeSubrange(count...) }
    }

    /// Replaces a class's counters.
    func setClassState(_ rowClass: RowClass, _ state: ClassState) throws(StoreError) {
        let index = rowClass.index
        let before = StateBefore(classIndex: index, state: try classState(rowClass))
        if !statesBefore.contains(where: { $0.classIndex == index }) { statesBefore.append(before) }
        if isAttempting, !attemptedStates.contains(where: { $0.classIndex == index }) {
            attemptedStates.append(before)
        }
        group.setClassState(index, state)
    }

    // MARK: Ending

    /// Checks what can only be checked at the end, and writes counters and the change log entry.
    ///
    /// - Throws: ``StoreError`` `.danglingLinks` when a link's target was never created,
    ///   `.deniedDeletion` when a deleted object is held, `.notUnique`.
    func finish() throws(StoreError) {
        let dangling = danglingLinks()
        if !dangling.isEmpty { throw .danglingLinks(dangling) }
        guard hasChanges else {
            if reservesKeys { putStates() }
            return
        }
        if !heldTargets.isEmpty {
            let denied = try deniedDeletions()
            if !denied.isEmpty { throw .deniedDeletion(denied) }
        }
        if !uniqueChecks.isEmpty {
            let violations = try uniqueViolations()
            if !violations.isEmpty { throw .notUnique(violations) }
        }
        putStates()
        try appendLogEntry()
    }

    private func putStates() {
        for before in statesBefore {
            let index = before.classIndex
            guard let state = group.classStates[index], state != before.state else { continue }
            let key = keyBuffer.making {
                StoreKey.appendClassState(rows.classes[index].number, to: $0)
            }
            overlay.put(key, rowBuffer.making { state.append(to: $0) })
        }
    }

    /// The links whose targets are missing, in the order of their sources and places.
    package func danglingLinks() -> [DanglingLink] {
        guard !pending.isEmpty else { return [] }
        var result: [DanglingLink] = []
        for (target, links) in pending {
            for link in links {
                result.append(
                    DanglingLink(
                        source: link.source, path: link.path,
                        targetClass: rows.classes[target.classIndex].definition.name))
            }
        }
        result.sort { $0.isBefore($1) }
        return result
    }

    func appendLogEntry(_ changedShapes: ShapeChanges = ShapeChanges()) throws(StoreError) {
        var entry = ChangeLogEntry(
            milliseconds: UInt64(max(0, now.seconds)) * 1000 + UInt64(now.nanoseconds) / 1_000_000,
            changes: changes, lostLinks: lostLinks.isEmpty ? [] : Array(lostLinks),
            changedShapes: changedShapes)
        var bytes = rowBuffer.making { entry.append(to: $0) }
        if bytes.count > group.valueByteCountMax {
            // What was done to lists is a help for those who follow them, and no reason to refuse a write.
            entry.replaceLists()
            bytes = rowBuffer.making { entry.append(to: $0) }
        }
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail: "The transaction's entry in the change log takes \(bytes.count) bytes; "
                    + "\(group.valueByteCountMax) are allowed: make several transactions of it.")
        }
        let key = keyBuffer.making { StoreKey.appendChangeLog(version, to: $0) }
        overlay.put(key, bytes)
        memory.changes.append(entry)
        group.state.version = version
        group.state.logByteCount += UInt64(bytes.count)
    }

    /// Rolls back everything the transaction did.
    func rollBack() {
        overlay.roll(backTo: mark)
        for before in statesBefore { group.setClassState(before.classIndex, before.state) }
    }
}
