import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// A change of the schema under way. Rows are checked, then rewritten beside the present rows, with their entries, in slices
/// between which other writes go on. Readers see nothing of it before its last commit.
///
/// A write that comes meanwhile is entered as well (``enter(_:_:_:_:_:)``), so that the staged rows agree with the present rows
/// at every commit. Only the writer's thread uses it.
final class StagedMigration {
    /// The progress of the change; rolled back when the commit of a slice fails.
    struct Progress {
        var phase = MigrationProgress.Phase.check
        /// The class that is walked, among the classes of the phase.
        var walkedIndex = 0
        /// The last object that was done.
        var after: UInt64 = 0
        /// The number of objects that lose something, by step.
        var lossCounts: [Int]
        var duplicates = DuplicateKeys()
        var doneCount: UInt64 = 0
    }

    /// A reason to give the migration up that a concurrent write brings, if it is committed.
    enum Fault {
        case loss(step: Int)
        case duplicate(classIndex: Int, Value)
    }

    let write: any PendingSchemaWrite
    let proposal: SchemaProposal
    let present: Catalog
    private let record: MigrationRecord
    private let now: Timestamp
    private(set) var change: SchemaChange
    var progress: Progress
    /// Looks for losses that are not allowed.
    var checker: RowConverter
    private var converter: RowConverter
    /// The classes with staged rows that were written by a write during the migration.
    var noted: Set<Int> = []
    /// Objects that are to lose their staged out-of-line values.
    var sweeping: Set<ObjectIdentity> = []
    private let rowBuffer = ByteBuffer(capacity: 4096)
    let keyBuffer = ByteBuffer(capacity: 512)

    init(
        _ write: any PendingSchemaWrite, _ proposal: SchemaProposal, from present: Catalog,
        _ record: MigrationRecord
    ) throws(StoreError) {
        self.write = write
        self.proposal = proposal
        self.present = present
        self.record = record
        now = Timestamp.now()
        let change = try SchemaChange(from: present, to: proposal, record: record)
        self.change = change
        progress = Progress(lossCounts: Array(repeating: 0, count: change.steps.count))
        checker = RowConverter(change.checks(allowsDataLoss: proposal.allowsDataLoss), now: now)
        converter = RowConverter(change.conversions, now: now)
    }

    /// The access document that goes with the change; nil if the store's stays as it is.
    ///
    /// - Throws: ``StoreError`` of the proposal if the document is not valid for the proposed schema.
    func document(_ group: CommitGroup) throws(StoreError) -> StoredDocument? {
        guard let make = proposal.document, let stored = try group.accessDocument() else {
            return nil
        }
        let text = try make(stored, present, change.catalog)
        guard text != stored.text else { return nil }
        return StoredDocument(
            revision: stored.revision + 1, rulesRevision: stored.rulesRevision, text: text)
    }

    // MARK: Passes

    /// Returns the classes that a phase walks, by position in the present catalog.
    private func classes(_ phase: MigrationProgress.Phase) -> [Int] {
        present.rows.classes.filter { rowClass in
            guard rowClass.definition.kind.standsAlone else { return false }
            switch phase {
            case .check: return checker.mayLose(rowClass.index)
            case .build, .cleanup: return change.works[rowClass.index] != nil
            }
        }.map(\.index)
    }

    /// Counts the objects that it looks at and writes.
    func objectCount(_ group: CommitGroup) throws(StoreError) -> UInt64 {
        var count: UInt64 = 0
        for index in classes(.check) + classes(.build) {
            count += try group.classState(present.rows.classes[index]).count
        }
        return count
    }

    /// Goes on by a slice; true if all is ready for the last commit.
    ///
    /// - `limit`: The most objects and bytes of the slice.
    /// - Throws: ``StoreError`` `.lossyMigration` or `.duplicateKeys` if the change is refused.
    func advance(_ group: CommitGroup, _ limit: SliceLimit) throws(StoreError) -> Bool {
        let walked = classes(progress.phase)
        guard progress.walkedIndex < walked.count else {
            guard progress.phase == .check else {
                try refuseFaults(group)
                return true
            }
            try endCheck(group)
            progress.phase = .build
            progress.walkedIndex = 0
            progress.after = 0
            return classes(.build).isEmpty
        }
        let index = walked[progress.walkedIndex]
        if try walk(present.rows.classes[index], group, limit) {
            progress.walkedIndex += 1
            progress.after = 0
        }
        return false
    }

    /// Refuses losses, or lets the values be converted.
    private func endCheck(_ group: CommitGroup) throws(StoreError) {
        try refuseFaults(group)
        guard proposal.allowsDataLoss else { return }
        var repairs: Set<UInt32> = []
        for conversion in change.checks(allowsDataLoss: true) {
            for check in conversion?.checks ?? [] where progress.lossCounts[check.step] > 0 {
                guard let member = conversion?.source.members[check.member] else { continue }
                repairs.insert(member.number)
            }
        }
        if repairs.isEmpty { return }
        change = try SchemaChange(from: present, to: proposal, record: record, repairs: repairs)
        progress.lossCounts = Array(repeating: 0, count: change.steps.count)
        checker = RowConverter(change.checks(allowsDataLoss: true), now: now)
        converter = RowConverter(change.conversions, now: now)
    }

    private func refuseFaults(_ group: CommitGroup) throws(StoreError) {
        // Now, because writes may come to a class that was empty when the change began.
        try countDroppedClasses(group)
        let isRepairing = proposal.allowsDataLoss && progress.phase == .check
        let refused = zip(change.steps, progress.lossCounts).map { step, count in
            isRepairing && !step.isStrict ? 0 : count
        }
        let faults = SchemaChange.losses(change.steps, refused)
        if !faults.isEmpty { throw .lossyMigration(faults) }
        let duplicates = progress.duplicates.faults(present.rows, change)
        if !duplicates.isEmpty { throw .duplicateKeys(duplicates) }
    }

    /// Counts the objects of deleted classes.
    private func countDroppedClasses(_ group: CommitGroup) throws(StoreError) {
        if proposal.allowsDataLoss { return }
        for (position, step) in change.steps.enumerated() where step.operation == .dropClass {
            guard let source = step.source, present.rows.classes[source].definition.kind.standsAlone
            else { continue }
            progress.lossCounts[position] = Int(
                try group.classState(present.rows.classes[source]).count)
        }
    }

    /// Refuses changes that are only possible for classes without objects.
    func requireEmptyClasses(_ group: CommitGroup) throws(StoreError) {
        var faults: [SchemaFault] = []
        for (index, fault) in change.emptinessTests.sorted(by: { $0.key < $1.key })
        where try group.classState(present.rows.classes[index]).count > 0 {
            faults.append(fault)
        }
        if !faults.isEmpty { throw .unsupportedMigration(faults) }
    }

    /// Walks the next objects of a class; true if there are no more.
    private func walk(
        _ rowClass: RowClass, _ group: CommitGroup, _ limit: SliceLimit
    ) throws(StoreError) -> Bool {
        let range = StoreKey.rows(rowClass, after: progress.after)
        let work = change.works[rowClass.index]
        var count = 0
        var isDone = true
        try group.snapshot.walk(range, expecting: limit.objectCount) {
            entry, value throws(StoreError) in
            guard let row = RowView(value), rowClass.canRead(row) else {
                throw .storage(StorageError(.corrupted, operation: "migrate rows"))
            }
            let key = StoreKey.trailingObjectKey(entry)
            if progress.phase == .check {
                check(rowClass, row, group)
            } else if let work {
                try build(work, key, row, group)
            }
            progress.after = key
            progress.doneCount += 1
            count += 1
            if count >= limit.objectCount || group.overlay.byteCount >= limit.byteCount {
                isDone = false
            }
            return isDone
        }
        try group.overflow.requireReadable()
        return isDone
    }

    /// Counts the object once for each step that loses something of it.
    private func check(_ rowClass: RowClass, _ row: RowView, _ group: CommitGroup) {
        var steps: Set<Int> = []
        checker.forEachLoss(rowClass.index, row, group.overflow) { steps.insert($0) }
        for step in steps { progress.lossCounts[step] += 1 }
    }

    // MARK: Staged rows and entries

    private func build(
        _ work: ClassWork, _ key: UInt64, _ row: RowView, _ group: CommitGroup
    ) throws(StoreError) {
        if work.rewrites, noted.contains(work.source.index),
            try stagedRow(work, key, group) != nil
        {
            return
        }
        let target = try targetRow(work, key, row, group)
        try putEntries(work, key, target, group) { value in
            progress.duplicates.add(classIndex: work.source.index, value)
        }
    }

    /// Returns the row that the target class has for a row: one that is written now, or the same.
    func targetRow(
        _ work: ClassWork, _ key: UInt64, _ row: RowView, _ group: CommitGroup
    ) throws(StoreError) -> RowView {
        guard work.rewrites else { return row }
        if work.numbersObjects, let range = work.target.primaryKeyRange,
            key > UInt64(range.upperBound)
        {
            throw .numbersExhausted(
                className: work.target.definition.name,
                property: work.target.definition.primaryKey ?? "", limit: range.upperBound)
        }
        // No version is that high, and no other change of the schema has the space's number: values that leave
        // the row get a name of their own.
        group.overflow.begin(work.source, key, version: 1 << 63 | UInt64(work.target.rowSpace))
        converter.builder.overflow = group.overflow
        converter.builder.limits = group.overflow.limits
        defer { converter.builder.overflow = nil }
        let bytes = rowBuffer.making {
            converter.append(work.source.index, row, key: key, group.overflow, to: $0)
        }
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail:
                    "A '\(work.target.definition.name)' object would take \(bytes.count) bytes; "
                    + "\(group.valueByteCountMax) are allowed.")
        }
        let rowKey = keyBuffer.making { StoreKey.appendRow(work.target, key, to: $0) }
        guard let target = RowView(group.overlay.put(rowKey, bytes)) else {
            throw .storage(StorageError(.corrupted, operation: "convert row"))
        }
        return target
    }

    func stagedRow(
        _ work: ClassWork, _ key: UInt64, _ group: CommitGroup
    ) throws(StoreError) -> RowView? {
        let rowKey = keyBuffer.making { StoreKey.appendRow(work.target, key, to: $0) }
        return try group.value(rowKey).flatMap { RowView($0) }
    }

    func putEntries(
        _ work: ClassWork, _ key: UInt64, _ row: RowView, _ group: CommitGroup,
        duplicate: (Value) -> Void
    ) throws(StoreError) {
        forEachEntry(work, key, row, group) { group.overlay.put($0, $1) }
        guard work.entersKeys, let member = work.target.primaryKeyIndex else { return }
        let entry = primaryKey(work, member, row)
        if let other = try group.value(entry).flatMap(StoreKey.mappedObjectKey), other != key {
            let field = work.target.field(member, in: row)
            return duplicate(Value(field, work.target.members[member].storage, group.overflow))
        }
        withUnsafeBytes(of: key.bigEndian) { _ = group.overlay.put(entry, $0) }
    }

    func removeEntries(
        _ work: ClassWork, _ key: UInt64, _ row: RowView, _ group: CommitGroup
    ) throws(StoreError) {
        forEachEntry(work, key, row, group) { entry, _ in group.overlay.remove(entry) }
        guard work.entersKeys, let member = work.target.primaryKeyIndex else { return }
        let entry = primaryKey(work, member, row)
        if try group.value(entry).flatMap(StoreKey.mappedObjectKey) == key {
            group.overlay.remove(entry)
        }
    }

    private func primaryKey(_ work: ClassWork, _ member: Int, _ row: RowView)
        -> UnsafeRawBufferPointer
    {
        keyBuffer.making {
            StoreKey.appendPrimaryKey(of: row, work.target, member, to: $0)
        }
    }

    /// Hands over the key and the value of each entry that a row has in the indexes that are built, and of each
    /// inverse link that is entered again.
    private func forEachEntry(
        _ work: ClassWork, _ key: UInt64, _ row: RowView, _ group: CommitGroup,
        _ body: (UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        let rows = change.catalog.rows
        for index in work.indexes {
            index.forEachEntry(
                key, row, rows, group.overflow, group.memory.words, in: keyBuffer
            ) { body($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
        }
        if work.links.isEmpty { return }
        for (link, count) in rows.linkCounts(of: work.target, in: row, group.overflow)
        where work.links.contains(link.property) {
            let entry = keyBuffer.making {
                StoreKey.appendInverse(link, rows, work.target, key, to: $0)
            }
            withUnsafeBytes(of: count.littleEndian) { body(entry, $0) }
        }
    }
}

/// The limits of the part of a migration that goes into one commit.
struct SliceLimit {
    var objectCount: Int
    /// The bytes of changes after which no more are added.
    var byteCount: Int
}

// Writes that come meanwhile.
extension StagedMigration {
    /// Removes the staged entries of an object that another write is about to change or to delete.
    ///
    /// - `row`: The object's row; objects and chunks that it refers to are still there.
    func leave(
        _ group: CommitGroup, _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) {
        guard progress.phase == .build, let work = change.works[rowClass.index] else { return }
        guard work.rewrites else { return try removeEntries(work, key, row, group) }
        guard let staged = try stagedRow(work, key, group) else { return }
        try removeEntries(work, key, staged, group)
        group.overlay.remove(keyBuffer.making { StoreKey.appendRow(work.target, key, to: $0) })
        if staged.holdsOverflow {
            sweeping.insert(ObjectIdentity(classIndex: rowClass.index, key: key))
        }
    }

    /// Whether an object that goes leaves staged out-of-line values behind, which are then the caller's to remove; says so once.
    func leavesOverflow(_ rowClass: RowClass, _ key: UInt64) -> Bool {
        sweeping.remove(ObjectIdentity(classIndex: rowClass.index, key: key)) != nil
    }

    /// Enters an object that another write has created or changed.
    ///
    /// - `row`: Its row, completely written.
    /// - `fault`: Receives the obstacles of the migration.
    func enter(
        _ transaction: WriteTransaction, _ rowClass: RowClass, _ key: UInt64, _ row: RowView,
        _ fault: (Fault) -> Void
    ) throws(StoreError) {
        let group = transaction.group
        if checker.mayLose(rowClass.index) {
            checker.forEachLoss(rowClass.index, row, group.overflow) { fault(.loss(step: $0)) }
        }
        guard progress.phase == .build, let work = change.works[rowClass.index] else { return }
        if !sweeping.isEmpty, leavesOverflow(rowClass, key) {
            try group.sweepOverflow(rowClass, key, row)
        }
        if work.rewrites { noted.insert(rowClass.index) }
        let target = try targetRow(work, key, row, group)
        try putEntries(work, key, target, group) { value in
            fault(.duplicate(classIndex: rowClass.index, value))
        }
        try group.overflow.requireReadable()
    }

    /// Takes over the obstacles that committed writes have found.
    func take(_ faults: [Fault]) {
        for fault in faults {
            switch fault {
            case .loss(let step): progress.lossCounts[step] += 1
            case .duplicate(let index, let value): progress.duplicates.add(classIndex: index, value)
            }
        }
    }
}
