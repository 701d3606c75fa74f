import HoldfastBytes

/// Sorted changes of one commit, or of several merged commits. A run does not change after its creation.
///
/// A run has a filter of some bits for each key (Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", 1970; here
/// both bits of a key lie in one word). So a look-up skips a run without the key at the cost of one read.
///
/// `@unchecked Sendable`: nothing changes after the initializers.
final class ChangeRun: @unchecked Sendable {
    /// A key's last value in the run, or its removal.
    struct Change {
        /// The address of the key in the run's memory; its value follows, see ``JournalRecord``.
        let key: UnsafeRawPointer
        let hash: UInt32
        let keyCount: UInt16

        @inline(__always)
        var keyBytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: key, count: Int(keyCount))
        }

        /// The value; nil for a removal.
        @inline(__always)
        var value: UnsafeRawBufferPointer? {
            JournalRecord.value(ofKey: key, count: Int(keyCount))
        }
    }

    let count: Int
    private let changes: UnsafeMutablePointer<Change>
    private let filter: UnsafeMutablePointer<UInt64>
    private let filterMask: UInt32
    /// Owns the bytes of keys and values.
    private let memory: JournalMemory

    /// Creates a run of up to `capacity` changes, which `fill` writes in the order of their keys.
    private init(
        capacity: Int, memory: JournalMemory, _ fill: (UnsafeMutablePointer<Change>) -> Int
    ) {
        changes = .allocate(capacity: max(capacity, 1))
        self.memory = memory
        count = fill(changes)
        // With 16 to 32 bits a key, about one look-up in a hundred finds its bits in a run without the key.
        var wordCount = 1
        while wordCount * 4 < count { wordCount *= 2 }
        filter = .allocate(capacity: wordCount)
        filter.initialize(repeating: 0, count: wordCount)
        filterMask = UInt32(wordCount - 1)
        for index in 0..<count {
            let hash = changes[index].hash
            filter[Int(hash & filterMask)] |= Self.bits(of: hash)
        }
    }

    /// Creates a run from a commit's record in `memory`; nil if the record contradicts its header.
    convenience init?(
        reading record: UnsafeRawBufferPointer, _ header: JournalRecord.Header,
        in memory: JournalMemory
    ) {
        var isSound = true
        self.init(capacity: header.changeCount, memory: memory) { changes in
            var next = changes
            isSound = JournalRecord.readChanges(of: record, header) { key in
                guard let start = key.baseAddress else { return }
                next.initialize(
                    to: Change(key: start, hash: Self.hash(key), keyCount: UInt16(key.count)))
                next += 1
            }
            return next - changes
        }
        guard isSound else { return nil }
    }

    /// Merges two neighbouring runs of one journal file. For keys in both, the change in `newer` counts.
    convenience init(merging newer: ChangeRun, over older: ChangeRun) {
        self.init(capacity: newer.count + older.count, memory: newer.memory) { changes in
            var next = changes
            var (left, right) = (0, 0)
            while left < newer.count, right < older.count {
                let order = compareKeys(newer.changes[left].keyBytes, older.changes[right].keyBytes)
                if order <= 0 {
                    next.initialize(to: newer.changes[left])
                    left += 1
                    if order == 0 { right += 1 }
                } else {
                    next.initialize(to: older.changes[right])
                    right += 1
                }
                next += 1
            }
            next.initialize(from: newer.changes + left, count: newer.count - left)
            next += newer.count - left
            next.initialize(from: older.changes + right, count: older.count - right)
            return next - changes + older.count - right
        }
    }

    deinit {
        changes.deallocate()
        filter.deallocate()
    }

    /// The change at a position.
    @inline(__always)
    subscript(position: Int) -> Change { changes[position] }

    /// Returns the change of a key with the hash ``hash(_:)``.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, hash: UInt32) -> Change? {
        let bits = Self.bits(of: hash)
        guard filter[Int(hash & filterMask)] & bits == bits else { return nil }
        let position = firstPosition(notBelow: key)
        guard position < count, changes[position].hash == hash,
            compareKeys(changes[position].keyBytes, key) == 0
        else { return nil }
        return changes[position]
    }

    /// Returns the position of the first key that is `key` or above it.
    func firstPosition(notBelow key: UnsafeRawBufferPointer) -> Int {
        partitionPoint(count) { compareKeys(changes[$0].keyBytes, key) < 0 }
    }

    /// Returns a key's hash for filters. It must not leave the process.
    @inline(__always)
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: key.tableHash() >> 32)
    }

    @inline(__always)
    private static func bits(of hash: UInt32) -> UInt64 {
        1 << UInt64(hash >> 26) | 1 << UInt64(hash >> 20 & 63)
    }
}
