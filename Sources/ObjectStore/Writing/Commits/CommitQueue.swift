import Glibc
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage
import HoldfastThreads
import Synchronization

/// Runs writes one after the other on a thread of its own and commits as many as are waiting with one sync.
///
/// Each write is a transaction with a version and an outcome of its own. Later writes see earlier ones. If the commit fails, all
/// its writes fail, even the ones that changed nothing, because they may have seen changes that were never stored.
final class CommitQueue: @unchecked Sendable {
    // Unchecked: everything but `waiting` belongs to the writer's thread, or to the one that has taken the group of interactive
    // writes.
    struct Waiting {
        var writes = WaitingWrites()
        var interactive: QueuedInteractiveWrite?
        /// The group of interactive writes that is open, while no thread is at work in it: the one that takes it out is.
        var interactiveGroup: InteractiveGroup?
        /// The request of the owner of the open write to the writer's thread.
        var request: InteractiveGroup.Request?
        /// Whether the writer's thread regularly checks the writes that wait for the open interactive write.
        var isWatched = false
        var writerThread: UInt = 0
        /// Whether the writer's thread waits for something to do.
        var isIdle = false
        var isStopping = false
        var hasStopped = false
    }

    /// The most times that a group is run again because another commit came first.
    static let conflictCountMax = 100

    let engine: any StorageEngine
    let catalogs: CatalogHistory
    let publisher: CommitPublisher
    let columns: ColumnStore
    let options: StoreOptions
    /// The figures of the queue so far.
    let statistics = CommitCounters()
    let waiting = Monitor(Waiting())
    let memory = CommitMemory()
    /// The properties with former values in the change log.
    let kept = Mutex<LoggedProperties?>(nil)
    /// The change log's first entry when it was last looked at, and its time in milliseconds since 1970.
    private var keptEntry: (number: UInt64, time: UInt64)?
    /// The change of the schema that goes on beside the writes.
    let backgroundMigration: BackgroundMigration

    init(
        engine: any StorageEngine, catalogs: CatalogHistory, publisher: CommitPublisher,
        columns: ColumnStore, options: StoreOptions, record: MigrationRecord
    ) {
        self.engine = engine
        self.catalogs = catalogs
        self.publisher = publisher
        self.columns = columns
        self.options = options
        memory.rowBuilder.limits = options.overflowLimits
        backgroundMigration = BackgroundMigration(record)
    }

    /// Starts the writer's thread.
    func start() { startThread(named: "writer") { self.runWriter() } }

    /// Adds a write; one that comes after ``stop()`` fails with `.closing`, one of a store for reading with `.readOnly`.
    func submit(_ write: any PendingWrite) {
        var refusal: StoreError?
        waiting.signal { state in
            refusal = refusedReason(state)
            guard refusal == nil else { return false }
            state.isIdle = false
            state.writes.append(write, at: monotonicMilliseconds())
            // Only the first can find the writer waiting.
            return state.writes.count == 1
        }
        if let refusal { write.finish(.failure(refusal)) }
    }

    /// The reason why the queue takes no writes; nil while it takes them.
    func refusedReason(_ state: borrowing Waiting) -> StoreError? {
        if state.isStopping { return .closing }
        return options.isReadOnly ? .readOnly : nil
    }

    /// The number of writes that wait for the writer, without the writes that it is running.
    var waitingCount: Int { waiting.withLock { $0.writes.count } }

    /// Whether the calling thread is the writer's.
    var isOnWriterThread: Bool { waiting.withLock { $0.writerThread == UInt(pthread_self()) } }

    /// Lets the writer finish the waiting writes, and ends its thread.
    ///
    /// - Precondition: The calling thread is another one.
    func stop() {
        waiting.update { $0.isStopping = true }
        waiting.wait { $0.hasStopped ? () : nil }
    }

    // MARK: The writer's thread

    /// The writer's next work.
    enum Work {
        case writes([any PendingWrite])
        case interactiveWrite(QueuedInteractiveWrite)
        case commit(InteractiveGroup)
        case serve(QueuedInteractiveWrite, InteractiveGroup.Request, InteractiveGroup)
        case watch
        case migration
        case end
    }

    private func runWriter() {
        waiting.withLock { $0.writerThread = UInt(pthread_self()) }
        writing: while true {
            let work: Work = waiting.wait { state in
                state.isIdle = false
                if state.hasTurns {
                    return state.takeTurnWork() ?? (state.wantsDependency ? .watch : nil)
                }
                if let interactiveWrite = state.takeTurn() {
                    return .interactiveWrite(interactiveWrite)
                }
                if !state.writes.isEmpty {
                    return .writes(state.writes.takeGroup(countMax: options.groupCountMax))
                }
                if state.isStopping { return .end }
                if hasMigration { return .migration }
                state.isIdle = true
                return nil
            }
            var rest: ArraySlice<any PendingWrite> = []
            switch work {
            case .writes(let writes): rest = writes[...]
            case .commit(let interactiveGroup): rest = commit(interactiveGroup)
            case .migration: break
            // An interactive write is open then, and its group too.
            case .interactiveWrite(let interactiveWrite):
                open(interactiveWrite)
                continue writing
            case .serve(let interactiveWrite, let request, let interactiveGroup):
                serve(interactiveWrite, request, interactiveGroup)
                continue writing
            case .watch:
                watch()
                continue writing
            case .end: break writing
            }
            while !rest.isEmpty { rest = commitFirst(of: rest) }
            if hasMigration { advanceBackgroundMigration() }
        }
        backgroundMigration.abandon()
        waiting.update { $0.hasStopped = true }
    }

    /// Whether a change of the schema, or the removal of its leftovers, can continue.
    private var hasMigration: Bool { !options.isReadOnly && backgroundMigration.isPending }

    /// Commits writes from the front until the group is full or one needs a commit of its own. Returns the remaining writes.
    private func commitFirst(of writes: ArraySlice<any PendingWrite>) -> ArraySlice<
        any PendingWrite
    > {
        if let schemaWrite = writes.first?.schemaWrite {
            commitSchema(schemaWrite)
            return writes.dropFirst()
        }
        var failure = StorageError(.conflict, operation: "commit")
        var attemptCount = 0
        while failure.code == .conflict, attemptCount < Self.conflictCountMax {
            do { return try attempt(writes) } catch { failure = error }
            attemptCount += 1
        }
        // The outcome of the attempt is unknown here only if nothing could be read at all.
        for write in writes { write.finish(.failure(.storage(failure))) }
        return []
    }

    func openGroup() throws(StorageError) -> CommitGroup {
        engine.awaitRoom()
        let snapshot = try engine.snapshot()
        do throws(StorageError) {
            guard let bytes = try snapshot.value(StoreKey.state), let state = StoreState(bytes),
                let catalog = catalogs.catalog(at: snapshot.commit)
            else { throw StorageError(.corrupted, operation: "read state") }
            memory.reset()
            let group = CommitGroup(
                snapshot: snapshot, catalog: catalog, memory: memory, state: state,
                valueByteCountMax: engine.limits.valueByteCountMax, kept: kept.withLock { $0 })
            group.migration = backgroundMigration.migration
            return group
        } catch {
            snapshot.close()
            throw error
        }
    }

    func close(_ group: CommitGroup) {
        group.close()
        memory.reset()
    }

    /// Runs writes as one group and commits it.
    ///
    /// - Throws: A conflict, after which nothing was answered; or the error of reading the state.
    private func attempt(_ writes: ArraySlice<any PendingWrite>) throws(StorageError)
        -> ArraySlice<any PendingWrite>
    {
        let group = try openGroup()
        defer { close(group) }
        return try commit(writes, after: [], in: group, since: group.state.version)
    }

    /// Runs writes as members of a group and commits it.
    ///
    /// - `present`: The outcomes of the first ones, which were run already.
    /// - `firstVersion`: The version before the group.
    /// - Returns: The writes that are left.
    /// - Throws: A conflict, after which nothing was answered.
    func commit(
        _ writes: ArraySlice<any PendingWrite>, after present: [WriteOutcome],
        in group: CommitGroup, since firstVersion: UInt64
    ) throws(StorageError) -> ArraySlice<any PendingWrite> {
        var outcomes = present
        outcomes.reserveCapacity(writes.count)
        let transaction = WriteTransaction(group: group, now: Timestamp.now(), options)
        for write in writes.dropFirst(outcomes.count) {
            if !outcomes.isEmpty,
                write.schemaWrite != nil || memory.overlay.byteCount > options.groupByteCountMax
            {
                break
            }
            outcomes.append(run(write, transaction))
        }
        let done = writes.prefix(outcomes.count)
        if group.state.version > firstVersion || group.changesUnversioned {
            trimChangeLog(group, transaction.now)
            putState(group)
            do throws(StorageError) {
                try statistics.count(Int(group.state.version - firstVersion)) {
                    () throws(StorageError) in try commit(group)
                }
            } catch {
                if error.code == .conflict { throw error }
                for write in done { write.finish(.failure(.storage(error))) }
                return writes.dropFirst(outcomes.count)
            }
            if group.state.version > firstVersion { publisher.publish(group.state.version) }
            backgroundMigration.unblock()
            if !group.migrationFaults.isEmpty {
                backgroundMigration.migration?.take(group.migrationFaults)
            }
        }
        for (write, outcome) in zip(done, outcomes) { write.finish(outcome) }
        return writes.dropFirst(outcomes.count)
    }

    /// Commits the changes of a group.
    func commit(_ group: CommitGroup) throws(StorageError) {
        let overlay = memory.overlay
        // Few changes can take much memory if one key was changed again and again.
        if group.engineTransaction == nil,
            overlay.byteCount < options.partedByteCountMin
                || overlay.slotCount <= options.partChangeCount
        {
            let batch = overlay.batch()
            columns.note(batch, commit: group.base + 1)
            _ = try engine.commit(batch, base: group.base)
            return
        }
        try moveChanges(of: group)
        _ = try group.engineTransaction?.commitAll()
    }

    /// Moves the changes of a group into the engine's open transaction.
    func moveChanges(of group: CommitGroup) throws(StorageError) {
        let transaction: any StorageWriteTransaction
        if let present = group.engineTransaction {
            transaction = present
        } else {
            transaction = try engine.beginWrite(base: group.base)
        }
        do throws(StorageError) {
            try group.moveChanges(to: transaction, changeCount: options.partChangeCount) {
                columns.note($0, commit: group.base + 1)
            }
        } catch {
            transaction.close()
            throw error
        }
    }

    /// Runs a write as the next transaction.
    private func run(_ write: any PendingWrite, _ transaction: WriteTransaction) -> WriteOutcome {
        transaction.begin(options)
        do {
            try write.run(transaction)
            if transaction.restartInOrder() { try write.run(transaction) }
            return .success(try finish(transaction))
        } catch {
            transaction.rollBack()
            return .failure(error)
        }
    }

    /// Makes the checks at a transaction's end; returns its version.
    func finish(_ transaction: WriteTransaction) throws(StoreError) -> UInt64 {
        try transaction.finish()
        if transaction.changesUnversioned { transaction.group.changesUnversioned = true }
        if !transaction.migrationFaults.isEmpty {
            transaction.group.migrationFaults += transaction.migrationFaults
        }
        return transaction.baseVersion
    }

    func putState(_ group: CommitGroup) {
        let bytes = group.rowBuffer.making { group.state.append(to: $0) }
        StoreKey.state.withUnsafeBytes { _ = memory.overlay.put($0, bytes) }
    }

    // MARK: Change log

    /// Removes entries of the change log that are too old or too many, a few with each commit. Reads nothing
    /// as long as the first entry may stay.
    private func trimChangeLog(_ group: CommitGroup, _ now: Timestamp) {
        let oldest = UInt64(max(0, now.seconds - Int64(options.retentionSeconds))) * 1000
        let byteCountMax = UInt64(max(0, options.retentionByteCount))
        var first = group.state.logFirst
        var byteCount = group.state.logByteCount
        let mustGo = { (time: UInt64) in time < oldest || byteCount > byteCountMax }
        // An entry's number and time never change; another first entry has another number.
        if let keptEntry, keptEntry.number == first, !mustGo(keptEntry.time) { return }
        let prefix: [UInt8] = [StoreKey.Tag.changeLog]
        var lower = prefix
        withUnsafeBytes(of: first.bigEndian) { lower.append(contentsOf: $0) }
        let range = KeyRange(lower: lower, upper: KeyRange.successor(ofPrefix: prefix))
        // The scan reads earlier commits, so the group's own entries always stay.
        do {
            try group.snapshot.scan(range, reversed: false, expecting: 1) { key, value in
                guard key.count == 9, value.count >= 8 else { return false }
                let time = value.loadUnaligned(as: UInt64.self)
                guard mustGo(time) else {
                    keptEntry = (first, time)
                    return false
                }
                memory.overlay.remove(key)
                byteCount -= min(byteCount, UInt64(value.count))
                first = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) + 1
                return first < group.state.logFirst + 1024
            }
        } catch {
            // An unreadable log is not this commit's concern: `check` reports it.
            return
        }
        group.state.logFirst = first
        group.state.logByteCount = byteCount
    }
}
