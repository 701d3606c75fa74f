import HoldfastStorage

/// One reader of a ``SharedSnapshot``.
final class SharedSnapshotReader: StorageSnapshot {
    let commit: UInt64
    private(set) var entriesRead = 0
    private var shared: SharedSnapshot?

    /// The most entries that a scan reads in one turn, which takes some microseconds.
    private static let batchCountMax = 256

    init(_ shared: SharedSnapshot) {
        commit = shared.commit
        self.shared = shared
    }

    func value(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        let value = try open("get").value(forKey: key)
        if value != nil { entriesRead += 1 }
        return value
    }

    func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        let shared = try open("scan")
        var rest = range
        var batchCount = min(max(expecting, 1), Self.batchCountMax)
        var entries: [SharedSnapshot.Entry] = []
        // Going forward, a batch begins with the last entry of the one before.
        var skipsFirst = false
        while true {
            let wantedCount = batchCount + (skipsFirst ? 1 : 0)
            entries.removeAll(keepingCapacity: true)
            try shared.read(rest, reversed: reversed, countMax: wantedCount, into: &entries)
            for entry in skipsFirst ? entries.dropFirst() : entries[...] {
                entriesRead += 1
                guard body(entry.key, entry.value) else { return }
            }
            guard entries.count == wantedCount, let last = entries.last else { return }
            if reversed {
                rest.upper = Array(last.key)
            } else {
                rest.lower = Array(last.key)
                skipsFirst = true
            }
            batchCount = min(batchCount * 4, Self.batchCountMax)
        }
    }

    func close() { shared = nil }

    func open(_ operation: String) throws(StorageError) -> SharedSnapshot {
        guard let shared else { throw StorageError(.closed, operation: operation) }
        return shared
    }
}
