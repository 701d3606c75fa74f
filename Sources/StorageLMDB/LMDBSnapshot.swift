import CHoldfastLMDB
import HoldfastStorage

/// A snapshot of an ``LMDBEngine``: a pooled read transaction of the tree, returned by ``close()``, with the commits that the
/// tree lacks over it.
///
/// Pointers refer to the memory map or the journal's memory, and are valid until the snapshot is closed.
package final class LMDBSnapshot: StorageSnapshot {
    private let environment: LMDBEnvironment
    private var transaction: LMDBTransaction?
    private var recent: RecentChanges?

    package let commit: UInt64
    package private(set) var entriesRead = 0

    init(of environment: LMDBEnvironment) throws(StorageError) {
        self.environment = environment
        let (reader, state) = try environment.takeReader()
        transaction = reader
        recent = state.recent
        commit = state.commit
    }

    deinit { close() }

    package func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let transaction = try open("get")
        let value =
            if let recent {
                try recent.value(forKey: key, over: transaction)
            } else {
                try transaction.value(forKey: key)
            }
        if value != nil { entriesRead += 1 }
        return value
    }

    package func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        let transaction = try open("scan")
        if let recent, let cursor = RecentCursor(recent, range, reversed: reversed) {
            entriesRead += try transaction.scan(range, reversed: reversed, under: cursor, body)
        } else {
            entriesRead += try transaction.scan(range, reversed: reversed, body)
        }
    }

    package func close() {
        guard let transaction else { return }
        self.transaction = nil
        environment.giveBack(transaction)
        recent = nil
    }

    @inline(__always)
    private func open(_ operation: String) throws(StorageError) -> LMDBTransaction {
        guard let transaction else { throw StorageError(.closed, operation: operation) }
        return transaction
    }
}
