import CHoldfastLMDB
import HoldfastStorage
import Synchronization

/// The storage engine on one LMDB file: the embedded default.
///
/// - Files: see ``LMDBDirectory``. A store belongs to one process; engines that this process opens on the same directory share
///   one environment, and each is closed for itself.
/// - Commits: a batch becomes a record of the ``Journal``, and later, with many others, part of LMDB's tree. A batch that is very
///   long, or removes ranges, and every batch when room is short, goes to the tree at once. A batch that changes nothing makes no
///   commit and returns its base.
/// - Threads: any thread may call any function. But a write transaction has to be used and ended on the thread that began it, and
///   that thread cannot make another commit in the meantime (both trap).
/// - Durability: with `.full`, a commit returns after its record is synced, or the tree's pages and then the meta page that makes
///   them visible. After a failed sync or write, except for lack of room, writes are refused with `.io` until the store is
///   reopened; the state before the failed commit stays.
package final class LMDBEngine: StorageEngine {
    package let name = "lmdb"
    package let limits: StorageLimits

    /// The files that make a directory a store, for moving a closed store. The last one indicates that the others are complete.
    package static let fileNames = [LMDBDirectory.dataName] + Journal.fileNames + [formatFileName]
    /// The file without which a directory has no store.
    package static let formatFileName = LMDBDirectory.formatName

    /// Whether a directory has a file of a store, complete or not.
    package static func isStore(directory: String) -> Bool { LMDBDirectory.isStore(directory) }

    private let environment: LMDBEnvironment
    private let isClosed = Atomic<Bool>(false)

    /// Opens the store in the options' directory, and creates it if it is missing.
    ///
    /// If the medium has no room to open it for writing, the store is opened for reading, and commits fail with `.diskFull` until
    /// it is reopened.
    /// - Throws: ``StorageError``: `.locked` if another process has it; `.format` if it is newer than this build or not a store
    ///   of this program, and then it is left as it was; `.permission`, `.diskFull`, `.memory` (no address space for the map),
    ///   `.corrupted` and `.io`.
    package init(_ options: LMDBOptions) throws(StorageError) {
        environment = try LMDBRegistry.environment(options)
        limits = environment.limits
    }

    deinit { close() }

    package func snapshot() throws(StorageError) -> any StorageSnapshot {
        try requireOpen("snapshot")
        return try LMDBSnapshot(of: environment)
    }

    package func awaitRoom() {
        if !isClosed.load(ordering: .acquiring) { environment.awaitRoom() }
    }

    package func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64 {
        try requireOpen("commit")
        try limits.check(batch)
        return try environment.commit(batch, base: base)
    }

    package func beginWrite(base: UInt64) throws(StorageError) -> any StorageWriteTransaction {
        try requireOpen("begin write")
        return LMDBWriteTransaction(
            environment: environment,
            transaction: try environment.beginWrite(base: base, operation: "begin write"),
            base: base)
    }

    package func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        environment.checkpointer.observeFailures(handler)
        if let reason = environment.readingReason, reason.code == .diskFull { handler(reason) }
    }

    package var mayLackCommits: Bool {
        environment.readingReason == nil && environment.mayLackCommits.load(ordering: .acquiring)
    }

    package func noteNewEpoch() { environment.noteNewEpoch() }

    package var storedByteCount: Int? {
        isClosed.load(ordering: .acquiring) ? nil : environment.storedByteCount
    }

    /// Writes the commits that wait in the journal to the tree. Afterwards the data file is the complete store, and the journal's
    /// files are short. Commits and snapshots go on meanwhile.
    package func checkpoint() throws(StorageError) {
        try requireOpen("checkpoint")
        try environment.beginUse("checkpoint")
        defer { environment.endUse() }
        try environment.checkpoint()
        try environment.shrinkJournal()
    }

    /// Rewrites the data file so that it has only the present data, in the order of the keys. The engine takes no more writes
    /// afterwards, and has to be closed.
    ///
    /// It needs room for a second file. Whether it succeeds or fails, the directory has either the old file or the new one.
    /// - Precondition: The caller has no snapshot open.
    /// - Throws: ``StorageError``; if there was no room for the copy, the engine goes on.
    package func compact() throws(StorageError) {
        try requireOpen("compact")
        try environment.beginUse("compact")
        defer { environment.endUse() }
        try environment.compact()
    }

    /// Returns counts of pages and entries.
    package func information() throws(StorageError) -> LMDBInformation {
        try requireOpen("information")
        return try environment.information()
    }

    package func close() {
        let (wasOpen, _) = isClosed.compareExchange(
            expected: false, desired: true, ordering: .acquiringAndReleasing)
        if wasOpen { LMDBRegistry.release(environment) }
    }

    @inline(__always)
    private func requireOpen(_ operation: String) throws(StorageError) {
        if isClosed.load(ordering: .acquiring) { throw StorageError(.closed, operation: operation) }
    }
}

/// The present use of an ``LMDBEngine``'s file, for tests and measurements.
package struct LMDBInformation: Sendable, Equatable {
    /// The greatest part of the map that was ever in use at once: the file's size as LMDB counts it. Freed pages are used again,
    /// but never given back.
    package var mapUsedByteCount: Int
    /// The size of a page.
    package var pageByteCount: Int
    /// The numbers of inner pages and of leaves of the current state.
    package var branchPageCount: Int
    package var leafPageCount: Int
    /// The number of entries in the tree.
    package var entryCount: Int
}

/// The open write transaction of an ``LMDBEngine``.
///
/// It is changed and ended on the thread that began it, which has LMDB's lock. Reads take no lock and use only pages and the
/// transaction itself, so another thread may read while that thread waits. Changed pages stay in memory up to 512 MiB, and are
/// written early beyond that.
package final class LMDBWriteTransaction: StorageWriteTransaction {
    private let environment: LMDBEnvironment
    private var transaction: LMDBTransaction?
    private var didChange = false
    private var didFail = false

    package private(set) var entriesRead = 0

    /// The number of the commit that this transaction began from.
    package let commit: UInt64

    init(environment: LMDBEnvironment, transaction: LMDBTransaction, base: UInt64) {
        self.environment = environment
        self.transaction = transaction
        commit = base
    }

    deinit { close() }

    package func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let value = try open("get").value(forKey: key)
        if value != nil { entriesRead += 1 }
        return value
    }

    package func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        entriesRead += try open("scan").scan(range, reversed: reversed, body)
    }

    package func apply(_ batch: StorageBatch) throws(StorageError) {
        let transaction = try open("apply")
        environment.writeLock.requireOwner()
        do throws(StorageError) {
            try transaction.limits.check(batch)
        } catch {
            didFail = true
            throw error
        }
        let (code, changed) = transaction.apply(batch)
        if changed { didChange = true }
        guard code == MDB_SUCCESS else {
            didFail = true
            throw environment.failure(code, operation: "apply")
        }
    }

    package func commitAll() throws(StorageError) -> UInt64 {
        let transaction = try open("commit")
        self.transaction = nil
        guard didChange else {
            environment.rollBack(transaction)
            return commit
        }
        return try environment.commit(transaction, base: commit)
    }

    package func close() {
        guard let transaction else { return }
        self.transaction = nil
        environment.rollBack(transaction)
    }

    private func open(_ operation: String) throws(StorageError) -> LMDBTransaction {
        guard let transaction, !didFail else { throw StorageError(.closed, operation: operation) }
        return transaction
    }
}
