import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// Objects in a storage engine.
///
/// Any thread may read (``withRead(reusing:_:)``) and hand in writes (``submit(_:)``); one thread of the store's own
/// runs them, many in one commit. Thread-safe.
package final class Store: Sendable {
    let engine: any StorageEngine
    let catalogs: CatalogHistory
    package let options: StoreOptions
    /// Distinguishes versions of this store from versions of its copies.
    package let epoch: UInt64
    package let publisher: CommitPublisher
    /// Columns that scans use often, cached in memory.
    package let columns: ColumnStore
    /// The versions that are held for longer than a request.
    package let retainedVersions: RetainedVersions
    /// The key that signs tickets, 32 bytes: a secret, which backups have.
    package let ticketKey: [UInt8]
    let queue: CommitQueue

    /// Opens the objects in an engine; an empty engine becomes an empty store.
    ///
    /// - Throws: ``StoreError`` `.storage` with `.format` when the engine holds something else or a
    ///   format that this program does not know; nothing is changed then.
    package init(engine: any StorageEngine, options: StoreOptions = StoreOptions())
        throws(StoreError)
    {
        let opened: Opened
        do {
            if options.takesNewEpoch || engine.mayLackCommits { try Store.takeNewEpoch(engine) }
            opened = try Store.open(engine, isReadOnly: options.isReadOnly)
        } catch { throw .storage(error) }
        self.engine = engine
        self.options = options
        retainedVersions = RetainedVersions(ageMillisecondsMin: options.heldMillisecondsMin)
        epoch = opened.state.epoch
        ticketKey = opened.access.ticketKey
        catalogs = CatalogHistory(opened.catalog)
        publisher = CommitPublisher(version: opened.state.version)
        columns = ColumnStore(options.columns)
        queue = CommitQueue(
            engine: engine, catalogs: catalogs, publisher: publisher, columns: columns,
            options: options, record: opened.record)
        queue.start()
        let statistics = queue.statistics
        engine.observeFailures { statistics.note($0) }
    }

    /// Finishes the submitted writes, waits for the end of an open interactive write and for waiting interactive writes, refuses
    /// others, and closes the engine. A thread that has an interactive write ends it first, or waits for itself.
    ///
    /// Every ``ReadTransaction`` has to be closed before.
    package func close() {
        queue.stop()
        engine.close()
    }

    // MARK: Reading

    private var source: ViewSource {
        ViewSource(catalogs: catalogs, columns: columns, epoch: epoch)
    }

    /// Opens a view of the last commit, see ``withRead(reusing:_:)``. Cost: well under a microsecond on LMDB.
    ///
    /// - `closed`: A view of this store that is closed and in no other use becomes the new one.
    func read(reusing closed: StoreView? = nil) throws(StoreError) -> StoreView {
        let snapshot: any StorageSnapshot
        do { snapshot = try engine.snapshot() } catch { throw .storage(error) }
        if let closed, closed.belongs(to: catalogs) {
            if closed.begin(snapshot) { return closed }
        } else if let fresh = StoreView(snapshot: snapshot, source) {
            return fresh
        }
        throw .storage(StorageError(.corrupted, operation: "find catalog"))
    }

    /// Keeps the version of the last commit readable.
    ///
    /// - `present`: The kept versions of other commits; that of the last one is returned instead of a second.
    package func pin(sharing present: [PinnedVersion]) throws(StoreError) -> PinnedVersion {
        let snapshot: any StorageSnapshot
        do { snapshot = try engine.snapshot() } catch { throw .storage(error) }
        let shared = SharedSnapshot(snapshot)
        if let same = present.first(where: { $0.commit == shared.commit }) { return same }
        guard let catalog = catalogs.catalog(at: shared.commit) else {
            throw .storage(StorageError(.corrupted, operation: "find catalog"))
        }
        return try PinnedVersion(shared, catalog, source)
    }

    package var catalog: Catalog { catalogs.newest ?? Catalog() }

    /// The version of the last commit.
    package var version: StoreVersion { StoreVersion(epoch: epoch, number: publisher.version) }

    package var engineName: String { engine.name }
    /// The cost of commits since the store was opened.
    package var commitStatistics: CommitStatistics { queue.statistics.present }
    /// Whether the calling thread is the writer's, which ``close()`` waits for.
    package var isOnWriterThread: Bool { queue.isOnWriterThread }
    /// The number of writes that wait for the writer's thread, without the running ones.
    package var waitingWriteCount: Int { queue.waitingCount }
    /// The progress of the schema change beside the writes; nil without one.
    package var migrationProgress: MigrationProgress? { queue.backgroundMigration.progress }
    /// Whether writing has failed for good: the store can be read, and has to be reopened for writes.
    package var hasStoppedWriting: Bool { queue.statistics.present.hasStoppedWriting }
    /// Calls `handler`, on a thread of the engine's or the writer's, when something fails that they do by themselves.
    package func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        engine.observeFailures(handler)
        queue.backgroundMigration.observeFailures(handler)
    }
    /// The bytes on disk, if the engine can tell.
    package var storedByteCount: Int? { engine.storedByteCount }

    // MARK: Writing

    /// Hands in a write; its completion is called on the writer's thread after the sync.
    package func submit(_ write: any PendingWrite) { queue.submit(write) }

    // MARK: Opening

    /// The records that a store is opened with.
    private struct Opened {
        var catalog: Catalog
        var state: StoreState
        var record: MigrationRecord
        var access: AccessRecord
    }

    private static func open(
        _ engine: any StorageEngine, isReadOnly: Bool
    ) throws(StorageError) -> Opened {
        while true {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            if let marker = try snapshot.value(StoreKey.format) {
                guard let version = StoreFormat.decode(marker) else {
                    throw StorageError(.format, operation: "open store", native: "no format marker")
                }
                guard StoreFormat.readable.contains(version) else {
                    throw StorageError(
                        .format, operation: "open store",
                        native:
                            "format \(version), this program reads \(StoreFormat.readable.lowerBound) to \(StoreFormat.current): export the "
                            + "store with the program that wrote it, and import that into a new one"
                    )
                }
                guard let state = try snapshot.value(StoreKey.state).flatMap({ StoreState($0) }),
                    let catalog = try snapshot.value(StoreKey.catalog).flatMap({ Catalog($0) })
                else { throw StorageError(.corrupted, operation: "open store") }
                guard let record = try MigrationRecord.read(snapshot) else {
                    throw StorageError(.corrupted, operation: "open store")
                }
                guard let access = try snapshot.record(under: StoreKey.access, { AccessRecord($0) })
                else { throw StoredAccess.damaged }
                if isReadOnly || version == StoreFormat.current {
                    return Opened(catalog: catalog, state: state, record: record, access: access)
                }
                do throws(StorageError) {
                    try commit(markerBatch(), to: engine, base: snapshot.commit)
                } catch {
                    // Reading needs no mark: the records of all versions are the same bytes.
                    guard error.code == .permission || error.code == .diskFull else { throw error }
                    return Opened(catalog: catalog, state: state, record: record, access: access)
                }
                continue
            }
            guard try snapshot.isEmpty() else {
                throw StorageError(.format, operation: "open store", native: "no format marker")
            }
            guard !isReadOnly else {
                throw StorageError(
                    .format, operation: "open store", native: "there is no store to read")
            }
            do throws(StorageError) {
                try commit(firstBatch(), to: engine, base: snapshot.commit)
            } catch {
                // It was opened for reading.
                throw error.code == .permission ? .unfinished : error
            }
        }
    }

    /// Commits another epoch, unless the store is new or can't be opened at all.
    private static func takeNewEpoch(_ engine: any StorageEngine) throws(StorageError) {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        guard let marker = try snapshot.value(StoreKey.format).flatMap({ StoreFormat.decode($0) }),
            StoreFormat.readable.contains(marker),
            var state = try snapshot.value(StoreKey.state).flatMap({ StoreState($0) })
        else { return }
        state.takeNewEpoch()
        let overlay = Overlay()
        let buffer = ByteBuffer()
        let value = buffer.making { state.append(to: $0) }
        StoreKey.state.withUnsafeBytes { _ = overlay.put($0, value) }
        try commit(overlay, to: engine, base: snapshot.commit)
        engine.noteNewEpoch()
    }

    /// Commits the records that a new store needs, unless another writer did so first.
    private static func commit(_ overlay: Overlay, to engine: any StorageEngine, base: UInt64)
        throws(StorageError)
    {
        // The batch points into the overlay, which has to outlive the commit.
        defer { withExtendedLifetime(overlay) {} }
        do throws(StorageError) {
            _ = try engine.commit(overlay.batch(), base: base)
        } catch {
            if error.code != .conflict { throw error }
        }
    }

    /// Makes the mark of the present format.
    private static func markerBatch() -> Overlay {
        let overlay = Overlay()
        StoreFormat.encode(StoreFormat.current).withUnsafeBytes { marker in
            StoreKey.format.withUnsafeBytes { _ = overlay.put($0, marker) }
        }
        return overlay
    }

    private static func firstBatch() -> Overlay {
        let overlay = markerBatch()
        let buffer = ByteBuffer()
        func put(_ key: [UInt8], _ value: UnsafeRawBufferPointer) {
            key.withUnsafeBytes { _ = overlay.put($0, value) }
        }
        let state = StoreState(epoch: UInt64.random(in: 1..<StoreVersion.epochEnd))
        put(StoreKey.state, buffer.making { state.append(to: $0) })
        put(StoreKey.catalog, buffer.making { Catalog().append(to: $0) })
        put(StoreKey.access, buffer.making { AccessRecord().append(to: $0) })
        return overlay
    }
}

extension Store {
    /// Has the change log keep the former values of some properties in place of others, from the next commit on. Any thread.
    package func logPastValues(of properties: LoggedProperties) {
        queue.kept.withLock { $0 = properties }
    }

    /// Waits for the writer's write and borrows it.
    ///
    /// Interactive writes and writes are served in the order in which they come. While an interactive write is open, other writes
    /// wait, for ``StoreOptions/interactiveWaitMilliseconds`` at most, and ``close()`` waits for its end.
    ///
    /// - Throws: ``StoreError`` `.interactiveWriteIsOpen` on the thread that has begun the open write, and on the writer's
    ///   own: it would wait for itself. `.closing`, and `.storage` when nothing can be read.
    package func beginInteractiveWrite() throws(StoreError) -> InteractiveWrite {
        try queue.beginInteractiveWrite()
    }

    /// The record under an identifier, if it is not too old. Cost: a look-up and a copy.
    package func idempotencyRecord(_ id: [UInt8]) throws(StoreError) -> IdempotencyRecord? {
        let transaction = try read()
        defer { transaction.close() }
        let buffer = ByteBuffer(capacity: StoreKey.recordKeyByteCount)
        StoreKey.appendRecord(id, to: buffer)
        guard let bytes = try transaction.value(buffer.bytes) else { return nil }
        return try IdempotencyRecord.valid(bytes, at: Timestamp.now().seconds, options.idempotency)
    }
}

extension StoreCheck {
    /// Checks the last commit of a store.
    ///
    /// - `progress`: Called now and then with the number of entries read so far.
    /// - Throws: ``StoreError`` `.storage` when the store can't be read at all.
    package static func run(
        _ store: Store, progress: @escaping (Int) -> Void = { _ in }
    ) throws(StoreError) -> Report {
        let transaction = try store.read()
        defer { transaction.close() }
        return try run(transaction, progress: progress)
    }
}

extension BackupCursor {
    /// Takes a snapshot of the last commit of a store.
    package convenience init(_ store: Store) throws(StoreError) {
        try self.init(store.engine, store.retainedVersions)
    }
}

// The functions that open a view of the store. Results of a view that has failed meanwhile, because storage failed or
// because it took too long, are not valid and are never returned.
extension Store {
    /// Runs `body` with a view of the last commit, which is closed behind it.
    ///
    /// - `left`: A view of this store that is closed becomes the new one, which saves its allocations and the count of
    ///   references to its catalog; and takes its place again.
    /// - Throws: ``StoreError`` of `body`; first that of the view, which throws also where `body` does not.
    package func withRead<Result>(
        reusing left: ReusableView? = nil, _ body: (StoreView) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let read = try read(reusing: left?.view.take())
        defer {
            read.close()
            left?.view = read
        }
        return try read.checked { () throws(StoreError) in try body(read) }
    }

    /// Opens a view of the last commit that its owner closes at any time; the data file grows meanwhile by later writes.
    /// Another thread may use it after the first has stopped.
    ///
    /// Objects found on it count only if ``ReadTransaction/checkFailure()`` does not throw afterwards.
    ///
    /// - Throws: ``StoreError`` `.storage`, with `.readersFull` when as many are open as the engine takes.
    package func openView() throws(StoreError) -> StoreView { try read() }

    /// Opens a view of the last commit that stays open from one call to the next.
    package func holdRead() throws(StoreError) -> LongRead { LongRead(try read()) }
}

extension ReadTransaction {
    /// Runs `body`, which uses the view.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func checked<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let result: Result
        do throws(StoreError) { result = try body() } catch {
            // A refusal for a missing object is not valid if the view has failed.
            try checkFailure()
            throw error
        }
        try checkFailure()
        return result
    }
}
