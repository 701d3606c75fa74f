import HoldfastRows
import HoldfastStorage

/// The view of a transaction, as a snapshot: the group's changes so far, above the state that it began from or the engine's open
/// transaction.
///
/// The overlay must not be changed while a scan runs; between calls it may. Only the writer's thread, or the thread that has its
/// turn, uses it, while the transaction's body runs.
final class OverlaySnapshot: StorageSnapshot {
    private let group: CommitGroup
    private let span: WriteSpan?
    private let ofBase: Bool
    private var ownEntriesRead = 0

    /// - `span`: The transaction's lifetime. After its end nothing can be read.
    /// - `ofBase`: Whether it shows the state that the transaction began from, which the overlay keeps
    ///   (``Overlay/keepBase(_:)``).
    init(_ group: CommitGroup, within span: WriteSpan? = nil, ofBase: Bool = false) {
        self.group = group
        self.span = span
        self.ofBase = ofBase
    }

    var commit: UInt64 { group.snapshot.commit }

    var entriesRead: Int { group.entriesRead + ownEntriesRead }

    /// The counters of a class as the transaction has them.
    func classState(_ rowClass: RowClass) throws(StoreError) -> ClassState {
        do { try requireOpen("get") } catch { throw .storage(error) }
        return try group.classState(rowClass)
    }

    /// The store's state before the transaction.
    func state() throws(StoreError) -> StoreState {
        do { try requireOpen("get") } catch { throw .storage(error) }
        return group.state
    }

    private func requireOpen(_ operation: String) throws(StorageError) {
        if let span, span.hasEnded { throw StorageError(.closed, operation: operation) }
    }

    func value(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        try requireOpen("get")
        let value = try group.storedValue(key, ofBase: ofBase)
        if value != nil { ownEntriesRead += 1 }
        return value
    }

    func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try requireOpen("scan")
        ownEntriesRead += try group.scanStored(
            range, reversed: reversed, expecting: expecting, ofBase: ofBase, body)
    }

    /// Does nothing: the group closes the snapshot below.
    func close() {}
}
