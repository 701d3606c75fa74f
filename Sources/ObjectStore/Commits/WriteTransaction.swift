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
    /// The version that the transaction makes, if it changes anything.
    package let version: UInt64
    /// The time of the transaction: of `$now`, and in the change log.
    package let now: Timestamp
    /// A number that the caller sets before each operation, returned with dangling links.
    package var source = 0
    /// How many writes and deletions the transaction may contain.
    package var operationCountMax = 100_000

    var changes: [ChangeRecord] = []
    var changePositions: [ObjectIdentity: Int] = [:]
    var lostLinks: Set<LostLink> = []
    /// Targets that links name and that are not there yet.
    var pending: [ObjectIdentity: [PendingLink]] = [:]
    var operationCount = 0
    /// Whether changes are noted in ``undo``.
    var isAttempting = false
    /// What an attempt has changed so far, newest last.
    var undo: [Undo] = []
    private let mark: Overlay.Mark
    private let classStatesBefore: [Int: ClassState]

    /// A link whose target has a key but no row yet.
    struct PendingLink {
        var source: Int
        var draft: ObjectDraft
        var reference: Int
        var path: [DanglingLink.PathStep]
    }

    init(group: CommitGroup, now: Timestamp) {
        self.group = group
        self.now = now
        version = group.state.version + 1
        mark = group.overlay.mark()
        classStatesBefore = group.classStates
    }

    /// The catalog that the transaction sees.
    package var catalog: Catalog { group.catalog }
    /// The epoch of versions.
    package var epoch: UInt64 { group.state.epoch }
    /// The version of the last successful transaction before this one.
    package var baseVersion: UInt64 { group.state.version }
    /// Whether anything was changed so far.
    package var hasChanges: Bool { !changes.isEmpty }

    var rows: RowSchema { group.catalog.rows }

    func countOperation() throws(StoreError) {
        operationCount += 1
        if operationCount > operationCountMax {
            throw .tooManyOperations(limit: operationCountMax)
        }
    }

    /// Refuses what was made with another schema than the transaction's: positions in it differ.
    func requirePresent(_ rowClass: RowClass) throws(StoreError) {
        guard rowClass.index < rows.classes.count, rows.classes[rowClass.index] === rowClass else {
            throw .schemaRevision(current: catalog.schema.revision)
        }
    }

    // MARK: Reading

    func value(_ key: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeRawBufferPointer? {
        do { return try group.value(key) } catch { throw .storage(error) }
    }

    /// The object key that a primary key leads to, of an object that is there or that is awaited.
    func objectKey(_ rowClass: RowClass, primaryKey: UnsafeRawBufferPointer) throws(StoreError)
        -> UInt64?
    {
        let key = group.keyBuffer.making {
            StoreKey.appendPrimaryKeyPrefix(rowClass.number, to: $0)
            $0.append(primaryKey)
        }
        guard let bytes = try value(key), bytes.count == 8 else { return nil }
        return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    /// The row of an object; nil when there is none.
    package func row(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) -> RowView? {
        let rowKey = group.keyBuffer.making { StoreKey.appendRow(rowClass.number, key, to: $0) }
        guard let bytes = try value(rowKey) else { return nil }
        guard let row = RowView(bytes), rowClass.canRead(row) else {
            throw .storage(StorageError(.corrupted, operation: "read row"))
        }
        return row
    }

    /// Finds an object by its primary key.
    package func find(_ rowClass: RowClass, primaryKey: OrderedKey)
        throws(StoreError) -> (key: UInt64, row: RowView)?
    {
        guard let key = try objectKey(rowClass, bytes: primaryKey.bytes),
            let row = try row(rowClass, key)
        else { return nil }
        return (key, row)
    }

    func objectKey(_ rowClass: RowClass, bytes: [UInt8]) throws(StoreError) -> UInt64? {
        let key = group.keyBuffer.making {
            StoreKey.appendPrimaryKeyPrefix(rowClass.number, to: $0)
            $0.append(bytes)
        }
        guard let found = try value(key), found.count == 8 else { return nil }
        return UInt64(bigEndian: found.loadUnaligned(as: UInt64.self))
    }

    // MARK: Recording

    /// Notes a change; an object that is changed again keeps one record.
    func record(
        _ kind: ChangeRecord.Kind, _ rowClass: RowClass, _ key: UInt64,
        members: MemberSet = MemberSet(),
        primaryKey: [UInt8] = []
    ) {
        let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
        var numbers: [UInt32] = []
        if kind == .update {
            for (member, compiled) in rowClass.members.enumerated() where members.contains(member) {
                numbers.append(compiled.number)
            }
        }
        if let position = changePositions[identity] {
            if isAttempting {
                undo.append(.alteredChange(position: position, before: changes[position]))
            }
            switch (changes[position].kind, kind) {
            case (.insert, .update): break
            case (.update, .update):
                for number in numbers where !changes[position].properties.contains(number) {
                    changes[position].properties.append(number)
                }
            default:
                // An object key is never used again, so what follows an insertion or update is a deletion.
                changes[position].kind = kind
                changes[position].properties = []
                changes[position].primaryKey = primaryKey
            }
            return
        }
        if isAttempting { undo.append(.addedChange(identity)) }
        changePositions[identity] = changes.count
        changes.append(
            ChangeRecord(
                kind: kind, classNumber: rowClass.number, key: key, properties: numbers,
                primaryKey: primaryKey))
    }

    // MARK: Ending

    /// Checks what can only be checked at the end, and writes counters and the change log entry.
    ///
    /// - Throws: ``StoreError`` `.danglingLinks` when a link's target was never created.
    func finish() throws(StoreError) {
        let dangling = danglingLinks()
        if !dangling.isEmpty { throw .danglingLinks(dangling) }
        guard hasChanges else { return }
        for (index, state) in group.classStates where classStatesBefore[index] != state {
            let key = group.keyBuffer.making {
                StoreKey.appendClassState(rows.classes[index].number, to: $0)
            }
            group.overlay.put(key, group.rowBuffer.making { state.append(to: $0) })
        }
        try appendLogEntry(changesSchema: false)
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

    func appendLogEntry(changesSchema: Bool) throws(StoreError) {
        let entry = ChangeLogEntry(
            milliseconds: UInt64(max(0, now.seconds)) * 1000 + UInt64(now.nanoseconds) / 1_000_000,
            changes: changes, lostLinks: Array(lostLinks), changesSchema: changesSchema)
        let bytes = group.rowBuffer.making { entry.append(to: $0) }
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail: "The transaction's entry in the change log takes \(bytes.count) bytes; "
                    + "\(group.valueByteCountMax) are allowed: make several transactions of it.")
        }
        let key = group.keyBuffer.making { StoreKey.appendChangeLog(version, to: $0) }
        group.overlay.put(key, bytes)
        group.state.version = version
        group.state.logByteCount += UInt64(bytes.count)
    }

    /// Takes back everything the transaction did.
    func rollBack() {
        group.overlay.roll(backTo: mark)
        group.classStates = classStatesBefore
    }
}
