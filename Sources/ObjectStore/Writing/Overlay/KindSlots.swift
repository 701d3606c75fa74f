import HoldfastStorage

/// The changes of an overlay to keys of one kind: a list of slots, a table of the slots that are looked up by their keys, and
/// their order as far as it was needed.
///
/// New objects have rising keys, and so have the primary keys of most loads. As long as every key is above the one
/// before, the list is in order by itself, and only a key between its ends can be in it: slots are not entered in
/// the table before the first such key is looked for.
///
/// Benchmark rows: `import`, `put-indexed`.
struct KindSlots: ~Copyable {
    typealias Slot = Overlay.Slot

    private(set) var list: SlotList
    /// Whether each key is above the one before.
    private(set) var isRising = true
    private var table = PositionTable()
    /// The number of slots in the table, the first ones of the list.
    private var enteredCount = 0
    private var order = SlotOrder()

    init() { list = SlotList() }

    var count: Int { list.count }

    subscript(index: Int) -> Slot {
        @inline(__always) _read { yield list[index] }
        @inline(__always) nonmutating _modify { yield &list[index] }
    }

    /// Adds a slot at the end.
    @inline(__always)
    mutating func append(_ slot: Slot) {
        if isRising, count > 0, !list[count - 1].isBelow(slot) { isRising = false }
        list.append(slot)
    }

    /// Forgets everything.
    mutating func removeAll() {
        if count == 0 { return }
        list.removeAll()
        table.removeAll()
        order.removeAll()
        enteredCount = 0
        isRising = true
    }

    // MARK: By key

    /// The slot that has a key.
    @inline(__always)
    mutating func index(of key: UnsafeRawBufferPointer, _ prefix: KeyPrefix) -> Int? {
        if count == 0 { return nil }
        if isRising,
            list[count - 1].compare(with: key, prefix) < 0 || list[0].compare(with: key, prefix) > 0
        {
            return nil
        }
        return enteredIndex(of: key)
    }

    private mutating func enteredIndex(of key: UnsafeRawBufferPointer) -> Int? {
        while enteredCount < count {
            table.insert(enteredCount, hash(list[enteredCount].key))
            enteredCount += 1
        }
        return table.position(hash(key)) { Overlay.isSame(list[$0].key, key) }
    }

    /// Keys of rows and short primary keys, which end in a number, share a line of the processor's cache with their neighbours.
    @inline(__always)
    private func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
        guard key.count <= 14, let last = key.last else { return table.hash(key) }
        let front = UnsafeRawBufferPointer(rebasing: key[..<(key.count - 1)])
        let hash = table.hash(front) &+ UInt32(last >> 3) &* 0x9E37_79B1
        return hash & ~7 | UInt32(last & 7)
    }

    // MARK: In order

    /// The cursor of the first slot with a key that is not below `key`.
    mutating func firstCursor(of key: UnsafeRawBufferPointer) -> SlotOrder.Cursor {
        order.append(slotsOf: list)
        return order.firstCursor(of: key, list)
    }

    /// The slot at a cursor, which may move on; nil behind the last one. No slot may have been added since the
    /// cursor was asked for.
    func index(at cursor: inout SlotOrder.Cursor) -> Int? { order.index(at: &cursor) }

    /// Hands over the changes in the order of their keys, for each key only the last one. Cost: a sort of the slots if their keys
    /// did not rise.
    @inline(__always)
    func forEachChange<Failure: Error>(
        _ body: (StorageBatch.Change) throws(Failure) -> Void
    ) throws(Failure) {
        guard isRising else { return try forEachSorted(body) }
        for index in 0..<count {
            if let change = list[index].change { try body(change) }
        }
    }

    private func forEachSorted<Failure: Error>(
        _ body: (StorageBatch.Change) throws(Failure) -> Void
    ) throws(Failure) {
        let sorted = SortedSlots(list)
        var last: StorageBatch.Change?
        for index in 0..<sorted.count {
            sorted.prefetch(behind: index, list)
            guard let change = list[sorted[index]].change else { continue }
            if let last, !Overlay.isSame(last.key, change.key) { try body(last) }
            last = change
        }
        if let last { try body(last) }
    }
}

/// A hash table of positions in a list of its owner: open addressing, eight bytes an entry, 32 of its bits the hash.
///
/// The owner compares the keys themselves. Hashes are made by ``hash(_:)`` with the process's own seed, so that no client can
/// choose keys that collide.
///
/// Benchmark row: `put-indexed`.
struct PositionTable: ~Copyable {
    private static let leastCapacity = 64

    /// The hash in the upper half, the position plus one in the lower; 0 for a free entry.
    private var entries: UnsafeMutablePointer<UInt64>
    private var mask: Int
    private var count = 0
    private let seed = Self.processSeed
    private static let processSeed = (
        first: UInt64.random(in: 0...UInt64.max), second: UInt64.random(in: 0...UInt64.max)
    )

    /// Makes an empty table.
    init() {
        entries = .allocate(capacity: Self.leastCapacity)
        entries.initialize(repeating: 0, count: Self.leastCapacity)
        mask = Self.leastCapacity - 1
    }

    deinit { entries.deallocate() }

    /// The position with this hash for which `isEqual` is true.
    @inline(__always)
    func position(_ hash: UInt32, where isEqual: (Int) -> Bool) -> Int? {
        var slot = Int(hash) & mask
        while true {
            let entry = entries[slot]
            if entry == 0 { return nil }
            if UInt32(truncatingIfNeeded: entry >> 32) == hash {
                let position = Int(entry & 0xFFFF_FFFF) - 1
                if isEqual(position) { return position }
            }
            slot = (slot + 1) & mask
        }
    }

    /// Enters a position that is not in the table.
    mutating func insert(_ position: Int, _ hash: UInt32) {
        precondition(position < UInt32.max)
        count += 1
        // Neighbours fill whole lines of the processor's cache: a fuller table would have long runs of them.
        if count * 2 > mask + 1 { grow() }
        enter(UInt64(hash) << 32 | UInt64(position + 1))
    }

    private func enter(_ entry: UInt64) {
        var slot = Int(entry >> 32) & mask
        while entries[slot] != 0 { slot = (slot + 1) & mask }
        entries[slot] = entry
    }

    private mutating func grow() {
        let old = (entries: entries, count: mask + 1)
        entries = .allocate(capacity: old.count * 2)
        entries.initialize(repeating: 0, count: old.count * 2)
        mask = old.count * 2 - 1
        for slot in 0..<old.count where old.entries[slot] != 0 { enter(old.entries[slot]) }
        old.entries.deallocate()
    }

    /// Forgets everything. Cost: in the order of the table's entries.
    mutating func removeAll() {
        if count == 0 { return }
        if mask + 1 > Self.leastCapacity, count * 16 < mask + 1 {
            entries.deallocate()
            entries = .allocate(capacity: Self.leastCapacity)
            mask = Self.leastCapacity - 1
        }
        entries.initialize(repeating: 0, count: mask + 1)
        count = 0
    }

    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let hash = bytes.tableHash(seed: seed.first, secret: seed.second)
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
