import CLMDB
import Storage

/// A snapshot of an ``LMDBEngine``: a pooled read transaction of the tree, given back by ``close()``,
/// under the commits that the tree lacks.
///
/// Pointers lead into the memory map or the journal's memory, and are valid until the snapshot is
/// closed.
package final class LMDBSnapshot: StorageSnapshot {
    private let environment: LMDBEnvironment
    private var transaction: LMDBTransaction?
    private var recent: RecentChanges?
    /// What ``MemoryPlace/state`` is of values in the tree.
    private let treeState: UInt64

    package let commit: UInt64
    package private(set) var entriesRead = 0

    init(of environment: LMDBEnvironment) throws(StorageError) {
        self.environment = environment
        let (reader, state) = try environment.takeReader()
        transaction = reader
        recent = state.recent
        commit = state.commit
        treeState = environment.memoryState(of: reader)
    }

    deinit { close() }

    package func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        try value(forKey: key, try open("get"))
    }

    package func value(
        forKey key: UnsafeRawBufferPointer, at place: inout MemoryPlace
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let transaction = try open("get")
        if let recent, let change = recent.change(forKey: key) {
            guard let value = change.value else { return nil }
            entriesRead += 1
            place = MemoryPlace(of: value)
            return value
        }
        if place.state == treeState, let start = UnsafeRawPointer(bitPattern: place.address),
            treeState != 0
        {
            entriesRead += 1
            return UnsafeRawBufferPointer(start: start, count: place.byteCount)
        }
        shim_prefetch_search(place.address)
        guard let value = try transaction.value(forKey: key) else { return nil }
        entriesRead += 1
        place = MemoryPlace(of: value, state: treeState)
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
    private func value(
        forKey key: UnsafeRawBufferPointer, _ transaction: LMDBTransaction
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let value =
            if let recent {
                try recent.value(forKey: key, over: transaction)
            } else {
                try transaction.value(forKey: key)
            }
        if value != nil { entriesRead += 1 }
        return value
    }

    @inline(__always)
    private func open(_ operation: String) throws(StorageError) -> LMDBTransaction {
        guard let transaction else { throw StorageError(.closed, operation: operation) }
        return transaction
    }
}
