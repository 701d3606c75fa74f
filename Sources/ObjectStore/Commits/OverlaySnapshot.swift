import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// The view of a transaction, as a snapshot: the group's changes so far, above the state that it began from or the engine's open
/// transaction.
///
/// The overlay must not be changed while a scan runs; between calls it may. The writer's thread, or the one that has its
/// turn, alone uses it, while the transaction's body runs.
final class OverlaySnapshot: StorageSnapshot {
    private let group: CommitGroup
    private let span: WriteSpan?
    private let ofBase: Bool
    private var ownEntriesRead = 0

    /// - `span`: The transaction's, behind whose end nothing can be read.
    /// - `ofBase`: Whether it is of what the transaction began from, which the overlay keeps (``Overlay/keepBase(_:)``).
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
        guard reversed else {
            try group.scanStored(range, expecting: expecting, ofBase: ofBase) { key, value in
                ownEntriesRead += 1
                return body(key, value)
            }
            return
        }
        try scanBackwards(range, expecting: expecting, body)
    }

    /// The same from the end. The overlay goes forward only, so that what it has of the range is
    /// collected first.
    private func scanBackwards(
        _ range: KeyRange, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        var own: [(key: UnsafeRawBufferPointer, entry: Overlay.Entry)] = []
        var cursor = Overlay.Cursor(group.overlay, range, ofBase: ofBase)
        while let (key, entry) = cursor.next() { own.append((key, entry)) }
        var goesOn = true
        /// Takes what the overlay has last, and hands it over unless it is a removal.
        func takeOwn() {
            guard let last = own.popLast(), case .value(let value) = last.entry else { return }
            ownEntriesRead += 1
            goesOn = body(last.key, value)
        }
        try group.below.scan(range, reversed: true, expecting: expecting) { key, value in
            while goesOn, let last = own.last {
                let order = compareKeys(last.key, key)
                if order < 0 { break }
                takeOwn()
                if order == 0 { return goesOn }
            }
            if goesOn { goesOn = body(key, value) }
            return goesOn
        }
        while goesOn, !own.isEmpty { takeOwn() }
    }

    /// Nothing: the group closes what it stands on.
    func close() {}
}
