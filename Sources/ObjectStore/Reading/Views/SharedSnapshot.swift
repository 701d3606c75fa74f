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
