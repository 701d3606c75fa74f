import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// One atomic change of the store, run by the writer.
///
/// It sees the changes of the transactions before it in its group and leaves nothing behind when its body throws. Its body may be
/// run again from the beginning, on a newer state. Rows that it hands out are valid while the body runs.
package final class WriteTransaction {
    let group: CommitGroup
    // The group and its memory are also referenced here: each access through other objects would count references up and down.
    let rows: RowSchema
    let overlay: Overlay
    let overflow: OverflowChunks
    let rowBuilder: RowBuilder
    let keyBuffer: ByteBuffer
    let rowBuffer: ByteBuffer
    /// The version that the transaction makes, if it changes anything.
    package private(set) var version: UInt64
    /// The time of the transaction: of `$now`, and in the change log.
    package let now: Timestamp
    /// The id of the user who writes, for `$user` defaults; nil without a user.
    package var user: String? {
        get { rowBuilder.user }
        set { rowBuilder.user = newValue }
    }
    /// The objects that links of the transaction's drafts name by their number.
    package var named: [NamedObject] = []
    /// Maps the object key that a draft uses to the object key in this store, by the position of the class;
    /// nil for an object that is not in this store. Without it, drafts use the store's own object keys.
    package var keyRenames: ((_ classIndex: Int, _ key: UInt64) -> UInt64?)?

    var allowance: WriteAllowance
    /// The bytes of changes that may wait in memory if changes can be moved to the engine.
    private let waitingByteCountMax: Int
    var recorder = ChangeRecorder()
    /// The bytes of large former values that were handed to the recorder, by attempts that were taken back, too.
    var largePastByteCount = 0
    var inverseLinks: InverseLinks
    var pendingLinks = PendingLinks()
    var uniqueChecks: UniqueChecks
    var heldTargets: DeniedTargets
    var counters: ClassCounters
    var keys: KeyMaker
    /// The stored replies to writes with an idempotency key.
    package var idempotency: IdempotencyRecords
    /// The changes of the transaction that a change of the schema under way can't take.
    var migrationFaults: [StagedMigration.Fault] = []
    /// Restricts the transaction to the rights of its writer; nil if the writer may do everything.
    private(set) var judge: WriteAuthorizer?
    /// The schema with the names that the writer knows: replies show objects by it.
    package var knownRows: RowSchema { judge?.rights.visibility.rows ?? rows }
    /// Whether it has changed tokens or the key of tickets, which make no version.
    var changesAccess = false
    /// The time in which views of the transaction may be used.
    let span = WriteSpan()
    private var mark: Overlay.Mark
    /// The number of unique checks before the present attempt.
    private var attemptedCheckStart = 0

    /// Makes the transactions of a group, one after the other: ``begin()`` is called before each.
    init(group: CommitGroup, now: Timestamp, _ options: StoreOptions) {
        self.group = group
        rows = group.rows
        overlay = group.overlay
        overflow = group.overflow
        rowBuilder = group.memory.rowBuilder
        keyBuffer = group.keyBuffer
        rowBuffer = group.rowBuffer
        self.now = now
        version = group.state.version + 1
        allowance = WriteAllowance(options)
        waitingByteCountMax = options.interactiveByteCountMax
        inverseLinks = InverseLinks(group)
        uniqueChecks = UniqueChecks(group)
        heldTargets = DeniedTargets(group)
        counters = ClassCounters(group)
        keys = KeyMaker(group)
        idempotency = IdempotencyRecords(group, at: now, options.idempotency)
        mark = overlay.mark()
        rowBuilder.now = now
        rowBuilder.user = nil
        rowBuilder.overflow = overflow
    }

    /// Begins the next transaction of the group, in the memory of the one before.
    func begin(_ options: StoreOptions) {
        forget()
        judge = nil
        rowBuilder.user = nil
        overlay.dropBase()
        allowance = WriteAllowance(options)
        allowance.begin(byteCount: overlay.byteCount)
        version = group.state.version + 1
        mark = overlay.mark()
        counters.begin()
    }

    private func forget() {
        recorder.removeAll()
        inverseLinks.removeAll()
        pendingLinks.removeAll()
        uniqueChecks.removeAll()
        heldTargets.removeAll()
        idempotency.begin()
        keys.removeAll()
        allowance.begin(byteCount: overlay.byteCount)
        if !named.isEmpty { named.removeAll(keepingCapacity: true) }
        if !migrationFaults.isEmpty { migrationFaults.removeAll() }
        largePastByteCount = 0
        keyRenames = nil
        changesAccess = false
        judge?.removeAll()
    }

    /// Restricts the following operations to some rights: hidden objects are not there, and changes are checked at the end
    /// (``finish()``). Called before anything is changed.
    ///
    /// - `deadline`: When all rules have to be asked, in milliseconds of the monotonic clock.
    /// - `rights`: Makes the rights, on a view of the state that the transaction begins from; nil allows everything.
    /// - Throws: ``StoreError`` of `rights`.
    package func keep(
        to rights: (StoreView) throws(StoreError) -> WriteRights?, until deadline: UInt64
    ) throws(StoreError) {
        overlay.keepBase(mark)
        let snapshot = OverlaySnapshot(group, within: span, ofBase: true)
        let base = StoreView(uncommitted: snapshot, catalog: catalog, epoch: epoch)
        base.limitFollowing(until: deadline)
        let rights = try base.checked { () throws(StoreError) in try rights(base) }
        judge = rights.map { WriteAuthorizer($0, base: base, overflow) }
    }

    /// The catalog that the transaction sees.
    package var catalog: Catalog { group.catalog }
    /// The epoch of versions.
    package var epoch: UInt64 { group.state.epoch }
    /// The version of the last successful transaction before this one.
    package var baseVersion: UInt64 { group.state.version }
    /// Whether anything was changed so far.
    package var hasChanges: Bool { !recorder.changes.isEmpty }

    func countOperation() throws(StoreError) {
        try allowance.countOperation()
        try requireRoom()
    }

    /// Counts bytes that are read, parsed and compared to change an object. This work holds up the writer as much as written
    /// bytes do, and a request of a few bytes can ask for it again and again.
    package func countReading(_ byteCount: Int) throws(StoreError) {
        allowance.countReading(byteCount)
        try requireRoom()
    }

    /// Lets the transaction be of any size, because its caller bounds it.
    package func liftLimits() { allowance.lift() }

    /// Whether so many changes wait in memory that they should be moved out of it, and may be.
    var wantsRoom: Bool { overlay.byteCount > waitingByteCountMax && !counters.undo.isOpen }

    /// Continues on an overlay whose changes were moved to the engine.
    func noteSpill() { mark = overlay.mark() }

    /// Refuses a transaction with too many bytes of changes, which wait in memory.
    func requireRoom() throws(StoreError) { try allowance.requireRoom(overlay.byteCount) }

    /// Refuses content that was made with another schema than the transaction's, because positions in it differ.
    func requirePresent(_ rowClass: RowClass) throws(StoreError) {
        guard rowClass.index < rows.classes.count, rows.classes[rowClass.index] === rowClass.whole
        else { throw .schemaRevision(current: catalog.schema.revision) }
    }

    // MARK: Reading

    /// The row of an object as it is stored, even if its writer does not see it: for replies, which show only the readable part.
    package func storedRow(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) -> RowView? {
        try group.row(rowClass, key)
    }

    /// The row of an object, as its writer sees it; nil if there is no such object.
    package func row(_ rowClass: RowClass, _ key: UInt64) throws(StoreError) -> RowView? {
        guard let row = try group.row(rowClass, key) else { return nil }
        return try shown(rowClass, key, row)?.row
    }

    /// The part of an object that the transaction's writer sees; nil for a hidden object.
    ///
    /// - `row`: Its row as it is stored.
    @inline(__always)
    func shown(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) -> WriteAuthorizer.Shown? {
        guard let judge else { return WriteAuthorizer.Shown(row: row) }
        return try judge.show(rowClass, key, row)
    }

    /// Finds an object by its primary key, as its writer sees it.
    package func find(_ rowClass: RowClass, primaryKey: OrderedKey)
        throws(StoreError) -> (key: UInt64, row: RowView)?
    {
        let stored = group.primaryKey(rowClass) { $0.append(primaryKey.bytes) }
        let found = try group.object(rowClass, stored)
        guard let key = found.key, let row = found.row else { return nil }
        return try shown(rowClass, key, row).map { (key, $0.row) }
    }

    // MARK: Ending

    /// Makes the checks that are only possible at the end, and writes counters and the change log entry.
    ///
    /// - Throws: ``StoreError`` `.danglingLinks` if a link's target was never created, `.notAllowed` for changes that its writer
    ///   has no right to, `.deniedDeletion` if a deleted object is retained by a rule, `.notUnique`.
    func finish() throws(StoreError) {
        let dangling = danglingLinks()
        if !dangling.isEmpty { throw .danglingLinks(dangling) }
        if let judge { try judge.judge(endView(for: judge)) }
        guard hasChanges else {
            if keys.hasReserved { counters.put() }
            return
        }
        if heldTargets.count > 0 {
            let denied = try heldTargets.denied(judge)
            if !denied.isEmpty { throw .deniedDeletion(denied) }
        }
        if uniqueChecks.count > 0 {
            let violations = try uniqueViolations()
            if !violations.isEmpty { throw .notUnique(violations) }
        }
        counters.put()
        try appendLogEntry()
    }

    /// Whether the transaction made a change that has to be stored even without a version.
    var changesUnversioned: Bool { idempotency.isChanged || keys.hasReserved || changesAccess }

    /// The links with missing targets, in the order of their sources and positions.
    package func danglingLinks() -> [DanglingLink] { pendingLinks.dangling(rows) }

    /// The values that were written, are to be unique and are not, as things are now: at most a hundred.
    package func uniqueViolations() throws(StoreError) -> [UniqueViolation] {
        try uniqueChecks.violations(for: judge)
    }

    func appendLogEntry(_ changedShapes: ShapeChanges = ShapeChanges()) throws(StoreError) {
        var entry = ChangeLogEntry(
            milliseconds: UInt64(max(0, now.seconds)) * 1000 + UInt64(now.nanoseconds) / 1_000_000,
            changes: recorder.changes, lostLinks: inverseLinks.lost, changedShapes: changedShapes)
        var bytes = rowBuffer.making { entry.append(to: $0) }
        if bytes.count > group.valueByteCountMax {
            // The changes of lists, and former values, help followers, and are no reason to refuse a write.
            entry.shorten()
            bytes = rowBuffer.making { entry.append(to: $0) }
        }
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail: "The transaction's entry in the change log takes \(bytes.count) bytes; "
                    + "\(group.valueByteCountMax) are allowed: split the transaction.")
        }
        let key = keyBuffer.making { StoreKey.appendChangeLog(version, to: $0) }
        overlay.put(key, bytes)
        group.state.version = version
        group.state.logByteCount += UInt64(bytes.count)
    }

    /// Rolls back everything the transaction did.
    func rollBack() {
        overlay.roll(backTo: mark)
        counters.rollBack()
    }

    // MARK: Running again

    /// Rolls back everything, so that the body can begin again.
    package func restart() {
        rollBack()
        forget()
    }

    /// Rolls back everything if objects were made in another order than that of their keys, so that the
    /// body can run once more and give them keys in order.
    ///
    /// - Returns: Whether the body has to run again; false in its second run, and while links wait for their targets.
    package func restartInOrder() -> Bool {
        guard pendingLinks.isEmpty, let corrected = keys.corrected(counters) else { return false }
        restart()
        keys = corrected
        return true
    }

    // MARK: Attempts

    /// Runs a part of the transaction that may fail by itself: when `body` throws, its changes are rolled back and the
    /// transaction can continue.
    ///
    /// Parts do not nest. Cost: a few stores for each change that is made inside.
    ///
    /// - Throws: The errors of `body`.
    package func attempt<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let savepoint = beginAttempt()
        defer { endAttempt() }
        do throws(StoreError) {
            return try body()
        } catch {
            rollBack(to: savepoint)
            throw error
        }
    }

    /// Refuses the changes of the attempted part if they are not unique. They are not checked again later. For writes whose parts
    /// must each be valid by themselves.
    ///
    /// - Throws: ``StoreError`` `.notUnique`.
    package func requireUniqueAttempt() throws(StoreError) {
        guard uniqueChecks.count > attemptedCheckStart else { return }
        let violations = try uniqueChecks.violations(from: attemptedCheckStart, for: judge)
        if !violations.isEmpty { throw .notUnique(violations) }
        uniqueChecks.truncate(to: attemptedCheckStart)
    }

    /// The state before an attempt. The overlay, the class counters, the records and the links keep the parts that an attempt
    /// replaces. Lists that only grow are cut.
    private struct Savepoint {
        var mark: Overlay.Mark
        var operationCount: Int
        var changeCount: Int
        var checkCount: Int
        var heldCount: Int
        var madeCount: Int
        var faultCount: Int
    }

    private func beginAttempt() -> Savepoint {
        recorder.undo.open()
        inverseLinks.undo.open()
        pendingLinks.undo.open()
        counters.undo.open()
        judge?.beginAttempt()
        attemptedCheckStart = uniqueChecks.count
        return Savepoint(
            mark: overlay.mark(), operationCount: allowance.operationCount,
            changeCount: recorder.changes.count, checkCount: uniqueChecks.count,
            heldCount: heldTargets.count, madeCount: keys.madeCount,
            faultCount: migrationFaults.count)
    }

    private func rollBack(to savepoint: Savepoint) {
        overlay.roll(backTo: savepoint.mark)
        allowance.operationCount = savepoint.operationCount
        recorder.rollBack(to: savepoint.changeCount)
        inverseLinks.rollBack()
        pendingLinks.rollBack()
        judge?.rollBack()
        counters.rollBackAttempt()
        uniqueChecks.truncate(to: savepoint.checkCount)
        heldTargets.truncate(to: savepoint.heldCount)
        keys.rollBack(to: savepoint.madeCount)
        migrationFaults.removeSubrange(savepoint.faultCount...)
    }

    private func endAttempt() {
        recorder.undo.close()
        inverseLinks.undo.close()
        pendingLinks.undo.close()
        judge?.endAttempt()
        counters.undo.close()
    }
}

/// An object of a transaction that links name before its place is known.
package enum NamedObject: Sendable {
    /// An object named by its primary key, an `OrderedKey`.
    case primaryKey([UInt8])
    /// An object named by its object key, which was reserved or is in use.
    case objectKey(UInt64)
}
