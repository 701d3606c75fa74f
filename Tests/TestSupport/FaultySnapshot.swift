import HoldfastStorage

/// A snapshot of a ``FaultyEngine``.
final class FaultySnapshot: StorageSnapshot {
    private let snapshot: any StorageSnapshot
    private let engine: FaultyEngine

    init(_ snapshot: any StorageSnapshot, of engine: FaultyEngine) {
        self.snapshot = snapshot
        self.engine = engine
    }

    deinit { close() }

    var commit: UInt64 { snapshot.commit }
    var entriesRead: Int { snapshot.entriesRead }

    func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        try engine.countRead(key.first, in: commit)
        return try snapshot.value(forKey: key)
    }

    func follow(_ key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer)
        throws(StorageError) -> (link: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?)
    {
        try engine.countRead(prefix.first, in: commit)
        return try snapshot.follow(key, prefix: prefix)
    }

    func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try engine.countRead(range.lower.first, in: commit)
        try snapshot.scan(range, reversed: reversed, expecting: expecting, body)
    }

    func close() { snapshot.close() }
}
