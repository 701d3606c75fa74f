import CHoldfastLMDB
import HoldfastStorage

/// The open write transaction of an ``LMDBEngine``.
///
/// Changed and ended on the thread that began it, which has LMDB's lock. Reads take no lock and touch nothing but pages and the
/// transaction itself, so that another thread may read while that one waits. Pages that it changes stay in memory up to
/// 512 MiB, and are written early beyond that.
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
