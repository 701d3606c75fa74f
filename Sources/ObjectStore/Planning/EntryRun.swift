import Bytes

/// Entries of one value of an index that were read backwards, to be handed over forwards. One thread at a time
/// uses it.
final class EntryRun {
    /// How many are kept. More are read once more, which takes less than to keep them all.
    private static let countMax = 64
    private static let keyByteCount = MemoryLayout<UInt64>.size

    /// An entry of the value: what the object keys are written over.
    private let entry = ByteBuffer(capacity: 64)
    /// The object keys, falling.
    private var keys: [UInt64] = []

    private var valueByteCount: Int { entry.count - Self.keyByteCount }

    /// What the entries have in common: all but the object keys.
    var value: [UInt8] { Array(entry.bytes[..<valueByteCount]) }

    /// Whether an entry has the run's value.
    func holds(_ other: UnsafeRawBufferPointer) -> Bool {
        guard !keys.isEmpty, other.count == entry.count else { return false }
        let own = UnsafeRawBufferPointer(rebasing: entry.bytes[..<valueByteCount])
        return compareKeys(own, UnsafeRawBufferPointer(rebasing: other[..<valueByteCount])) == 0
    }

    /// Begins a run of an entry's value.
    func begin(_ first: UnsafeRawBufferPointer) {
        keys.removeAll(keepingCapacity: true)
        entry.removeAll()
        entry.append(first)
    }

    /// Takes the object key of the next entry; false when there is no room for more.
    func add(_ key: UInt64) -> Bool {
        keys.append(key)
        return keys.count <= Self.countMax
    }

    /// Forgets all, but for the value.
    func removeAll() { keys.removeAll(keepingCapacity: true) }

    /// Hands over the entries with rising object keys, until `body` returns false.
    ///
    /// - Returns: Whether it always returned true.
    func forEach(
        _ body: (_ entry: UnsafeRawBufferPointer, _ key: UInt64) throws(QueryExecution.Failure)
            -> Bool
    ) throws(QueryExecution.Failure) -> Bool {
        for key in keys.reversed() {
            entry.store(key.bigEndian, at: valueByteCount)
            guard try body(entry.bytes, key) else { return false }
        }
        return true
    }
}
