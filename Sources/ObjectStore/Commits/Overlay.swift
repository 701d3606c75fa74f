import Storage

/// The uncommitted changes of a group of transactions, above the snapshot that they read.
///
/// Keys are kept sorted in chunks of bounded size: a change costs a binary search and a short move,
/// scans merge with the snapshot, and the commit gets its batch in order for nothing. A transaction
/// that fails is taken back to its ``mark()``. The writer's thread alone uses an overlay.
final class Overlay {
    enum Entry {
        /// The overlay says nothing of the key.
        case none
        case removed
        case value(UnsafeRawBufferPointer)
    }

    private struct Slot {
        var prefix: KeyPrefix
        var key: UnsafeRawBufferPointer
        var entry: Entry
    }

    private struct Change {
        var slot: Int
        var before: Entry
    }

    /// Where a transaction began.
    struct Mark {
        fileprivate var undoCount: Int
        fileprivate var rangeCount: Int
    }

    private static let chunkCountMax = 128

    private let arena = Arena()
    private var slots: ContiguousArray<Slot> = []
    /// Positions in `slots`, sorted by key; no chunk is empty unless there is just one.
    private var chunks: ContiguousArray<ContiguousArray<Int32>> = [[]]
    private var undo: ContiguousArray<Change> = []
    private var removedRanges: [KeyRange] = []

    /// The bytes that keys and values take.
    var byteCount: Int { arena.byteCount + slots.count * MemoryLayout<Slot>.stride }

    /// Whether nothing was changed.
    var isEmpty: Bool { slots.isEmpty && removedRanges.isEmpty }

    /// Forgets everything.
    func reset() {
        arena.reset()
        slots.removeAll(keepingCapacity: true)
        chunks = [[]]
        undo.removeAll(keepingCapacity: true)
        removedRanges.removeAll()
    }

    // MARK: Reading

    /// The chunk and position of the first key that is not below `key`, and whether it is `key`.
    private func find(_ key: UnsafeRawBufferPointer) -> (chunk: Int, position: Int, isEqual: Bool) {
        let prefix = KeyPrefix(key)
        var low = 0
        var high = chunks.count
        // The last chunk whose first key is not above `key`.
        while high - low > 1 {
            let middle = (low + high) / 2
            if order(of: chunks[middle][0], prefix, key) <= 0 {
                low = middle
            } else {
                high = middle
            }
        }
        let chunk = low
        var from = 0
        var to = chunks[chunk].count
        while from < to {
            let middle = (from + to) / 2
            let order = order(of: chunks[chunk][middle], prefix, key)
            if order == 0 { return (chunk, middle, true) }
            if order < 0 { from = middle + 1 } else { to = middle }
        }
        return (chunk, from, false)
    }

    /// How the key of a slot compares with a key and its prefix: below, equal or above zero.
    @inline(__always)
    private func order(
        of slot: Int32, _ prefix: KeyPrefix, _ key: UnsafeRawBufferPointer
    ) -> Int {
        let other = slots[Int(slot)].prefix
        if other.high != prefix.high { return other.high < prefix.high ? -1 : 1 }
        if other.low != prefix.low { return other.low < prefix.low ? -1 : 1 }
        return compareKeys(slots[Int(slot)].key, key)
    }

    /// What the overlay says of `key`.
    func entry(_ key: UnsafeRawBufferPointer) -> Entry {
        let place = find(key)
        if place.isEqual {
            let entry = slots[Int(chunks[place.chunk][place.position])].entry
            guard case .none = entry else { return entry }
        }
        for range in removedRanges where range.contains(key) { return .removed }
        return .none
    }

    /// Whether `key` lies in a removed range.
    func isInRemovedRange(_ key: UnsafeRawBufferPointer) -> Bool {
        removedRanges.contains { $0.contains(key) }
    }

    /// Walks the overlay's own entries of `range` in order until `body` returns false.
    func forEach(
        in range: KeyRange, reversed: Bool, _ body: (UnsafeRawBufferPointer, Entry) -> Bool
    ) {
        var cursor = Cursor(self, range, reversed: reversed)
        while let (key, entry) = cursor.next() {
            guard body(key, entry) else { return }
        }
    }

    /// Steps through the entries of a range. The overlay must not be changed meanwhile.
    struct Cursor {
        private let overlay: Overlay
        private let range: KeyRange
        private let reversed: Bool
        private var chunk: Int
        private var position: Int

        init(_ overlay: Overlay, _ range: KeyRange, reversed: Bool) {
            self.overlay = overlay
            self.range = range
            self.reversed = reversed
            if reversed {
                if let upper = range.upper {
                    let place = upper.withUnsafeBytes { overlay.find($0) }
                    chunk = place.chunk
                    position = place.position - 1
                } else {
                    chunk = overlay.chunks.count - 1
                    position = overlay.chunks[chunk].count - 1
                }
            } else {
                let place = range.lower.withUnsafeBytes { overlay.find($0) }
                chunk = place.chunk
                position = place.position
            }
        }

        mutating func next() -> (UnsafeRawBufferPointer, Entry)? {
            while true {
                if reversed, position < 0 {
                    guard chunk > 0 else { return nil }
                    chunk -= 1
                    position = overlay.chunks[chunk].count - 1
                    continue
                }
                if !reversed, position >= overlay.chunks[chunk].count {
                    guard chunk + 1 < overlay.chunks.count else { return nil }
                    chunk += 1
                    position = 0
                    continue
                }
                let slot = overlay.slots[Int(overlay.chunks[chunk][position])]
                position += reversed ? -1 : 1
                guard range.contains(slot.key) else { return nil }
                if case .none = slot.entry { continue }
                return (slot.key, slot.entry)
            }
        }
    }

    // MARK: Changing

    private func set(_ key: UnsafeRawBufferPointer, _ entry: Entry) {
        let place = find(key)
        if place.isEqual {
            let slot = Int(chunks[place.chunk][place.position])
            undo.append(Change(slot: slot, before: slots[slot].entry))
            slots[slot].entry = entry
            return
        }
        let slot = slots.count
        slots.append(Slot(prefix: KeyPrefix(key), key: arena.copy(key), entry: entry))
        undo.append(Change(slot: slot, before: .none))
        chunks[place.chunk].insert(Int32(slot), at: place.position)
        if chunks[place.chunk].count > Self.chunkCountMax { split(place.chunk) }
    }

    /// Halves a full chunk; the last one keeps most of its entries, since keys tend to rise.
    private func split(_ chunk: Int) {
        let count = chunks[chunk].count
        let kept = chunk == chunks.count - 1 ? count - count / 8 : count / 2
        let moved = ContiguousArray(chunks[chunk][kept...])
        chunks[chunk].removeSubrange(kept...)
        chunks.insert(moved, at: chunk + 1)
    }

    /// Sets a value; the bytes are copied, and the copy is returned.
    @discardableResult
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        let copy = arena.copy(value)
        set(key, .value(copy))
        return copy
    }

    /// Removes a key.
    func remove(_ key: UnsafeRawBufferPointer) { set(key, .removed) }

    /// Removes every key of a range.
    func remove(_ range: KeyRange) {
        var keys: [UnsafeRawBufferPointer] = []
        forEach(in: range, reversed: false) { key, _ in
            keys.append(key)
            return true
        }
        for key in keys { set(key, .removed) }
        removedRanges.append(range)
    }

    /// The present point, to which a failing transaction is taken back.
    func mark() -> Mark { Mark(undoCount: undo.count, rangeCount: removedRanges.count) }

    /// Takes everything back that was changed since `mark`.
    func roll(backTo mark: Mark) {
        while undo.count > mark.undoCount, let change = undo.popLast() {
            slots[change.slot].entry = change.before
        }
        removedRanges.removeSubrange(mark.rangeCount...)
    }

    /// The changes in order, for the engine; valid until the overlay is changed or reset.
    func batch() -> StorageBatch {
        var changes: [StorageBatch.Change] = []
        changes.reserveCapacity(slots.count)
        for chunk in chunks {
            for position in chunk {
                let slot = slots[Int(position)]
                switch slot.entry {
                case .none: continue
                case .removed: changes.append(StorageBatch.Change(key: slot.key, value: nil))
                case .value(let value):
                    changes.append(StorageBatch.Change(key: slot.key, value: value))
                }
            }
        }
        return StorageBatch(removedRanges: removedRanges, changes: changes)
    }
}
