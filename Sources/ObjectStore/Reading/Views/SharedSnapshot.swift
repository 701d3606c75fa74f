import HoldfastStorage
import HoldfastThreads

/// A storage snapshot that several readers use at once, each on a thread of its own. It is closed with the last reference to it.
///
/// The calls of a snapshot must not overlap, so readers call it one after the other. A scan reads a batch of entries in one call
/// and hands them out afterwards: it delays no other thread, and its body may call the snapshot.
///
/// `@unchecked Sendable`: the snapshot is called with the lock held.
final class SharedSnapshot: @unchecked Sendable {
    typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    let commit: UInt64
    private let snapshot: any StorageSnapshot
    private let lock = OwnedLock()

    /// Takes over a snapshot.
    init(_ snapshot: any StorageSnapshot) {
        commit = snapshot.commit
        self.snapshot = snapshot
    }

    deinit { snapshot.close() }

    func value(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer? {
        lock.lock()
        defer { lock.unlock() }
        return try snapshot.value(forKey: key)
    }

    /// Appends the first entries of a range, or its last ones from the end.
    func read(
        _ range: KeyRange, reversed: Bool, countMax: Int, into entries: inout [Entry]
    ) throws(StorageError) {
        lock.lock()
        defer { lock.unlock() }
        try snapshot.scan(range, reversed: reversed, expecting: countMax) { key, value in
            entries.append((key, value))
            return entries.count < countMax
        }
    }
}

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
