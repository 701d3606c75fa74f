import HoldfastStorage
import Synchronization

/// An engine that fails when it is told to, and otherwise passes everything on.
///
/// A commit is numbered, from 1, whether it comes by ``commit(_:base:)`` or ends a write
/// transaction. A failed one has changed nothing.
package final class FaultyEngine: StorageEngine {
    private struct Plan {
        var commitCount = 0
        var awaitCount = 0
        var failures: [Int: StorageError.Code] = [:]
        /// Whether acknowledged commits are said to be missing.
        var mayLackCommits = false
        /// After how many more batches that write transactions are given one fails; nil for none.
        var partCountLeft: Int?
        var readFault: ReadFault?
    }

    /// Reads that fail, in snapshots of one commit and of those behind it.
    package struct ReadFault: Sendable {
        /// The first bytes of the keys that can't be read.
        package var tags: Set<UInt8>
        /// The number of reads that succeed before.
        package var skippedCount: Int
        /// Whether every read behind them fails, or one alone.
        package var isLasting: Bool

        /// Takes what is to fail.
        package init(tags: Set<UInt8>, after skippedCount: Int, isLasting: Bool) {
            self.tags = tags
            self.skippedCount = skippedCount
            self.isLasting = isLasting
        }

        fileprivate var firstCommit: UInt64 = 0
        fileprivate var failedCount = 0
    }

    private let engine: any StorageEngine
    private let plan = Mutex(Plan())

    /// Wraps `engine`.
    package init(_ engine: any StorageEngine) { self.engine = engine }

    /// Makes the commit of `number` fail with `code`; `.conflict` makes a transaction run again.
    package func failCommit(_ number: Int, with code: StorageError.Code) {
        plan.withLock { $0.failures[number] = code }
    }

    /// Makes a batch fail that a write transaction is given, with `.diskFull`.
    ///
    /// - `count`: The number of batches taken before.
    package func failPart(after count: Int) { plan.withLock { $0.partCountLeft = count } }

    /// Makes reads fail with `.io` in snapshots of the next commit and of later ones.
    package func failReads(_ fault: ReadFault) throws(StorageError) {
        let present = try engine.snapshot()
        defer { present.close() }
        var fault = fault
        fault.firstCommit = present.commit + 1
        plan.withLock { $0.readFault = fault }
    }

    /// Has all reads succeed again.
    ///
    /// - Returns: The number of reads that have failed.
    package func endReadFault() -> Int {
        plan.withLock { plan in
            defer { plan.readFault = nil }
            return plan.readFault?.failedCount ?? 0
        }
    }

    /// Says that acknowledged commits may be missing, until a new epoch is noted.
    package func lackCommits() { plan.withLock { $0.mayLackCommits = true } }

    package var mayLackCommits: Bool { plan.withLock { $0.mayLackCommits } }

    package func noteNewEpoch() { plan.withLock { $0.mayLackCommits = false } }

    /// The number of commits tried.
    package var commitCount: Int { plan.withLock { $0.commitCount } }

    /// The number of times that a writer has asked whether it should wait before it begins.
    package var awaitCount: Int { plan.withLock { $0.awaitCount } }

    package var name: String { engine.name }
    package var limits: StorageLimits { engine.limits }
    package var storedByteCount: Int? { engine.storedByteCount }

    package func snapshot() throws(StorageError) -> any StorageSnapshot {
        FaultySnapshot(try engine.snapshot(), of: self)
    }

    package func awaitRoom() {
        plan.withLock { $0.awaitCount += 1 }
        engine.awaitRoom()
    }

    package func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64 {
        try countCommit()
        return try engine.commit(batch, base: base)
    }

    package func beginWrite(
        base: UInt64
    ) throws(StorageError) -> any StorageWriteTransaction {
        FaultyWriteTransaction(try engine.beginWrite(base: base), of: self)
    }

    package func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        engine.observeFailures(handler)
    }

    package func close() { engine.close() }

    func countPart() throws(StorageError) {
        let fails = plan.withLock { plan in
            guard let left = plan.partCountLeft else { return false }
            plan.partCountLeft = left == 0 ? nil : left - 1
            return left == 0
        }
        if fails {
            throw StorageError(.diskFull, operation: "apply", native: "made to fail by a test")
        }
    }

    func countRead(_ tag: UInt8?, in commit: UInt64) throws(StorageError) {
        let fails = plan.withLock { plan in
            guard var fault = plan.readFault, let tag, fault.tags.contains(tag),
                commit >= fault.firstCommit
            else { return false }
            defer { plan.readFault = fault }
            if fault.skippedCount > 0 {
                fault.skippedCount -= 1
                return false
            }
            if fault.failedCount > 0, !fault.isLasting { return false }
            fault.failedCount += 1
            return true
        }
        if fails { throw StorageError(.io, operation: "read", native: "made to fail by a test") }
    }

    func countCommit() throws(StorageError) {
        let failure = plan.withLock { plan in
            plan.commitCount += 1
            return plan.failures[plan.commitCount]
        }
        if let failure {
            throw StorageError(failure, operation: "commit", native: "made to fail by a test")
        }
    }
}
