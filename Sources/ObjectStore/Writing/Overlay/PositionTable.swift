import HoldfastBytes

/// A hash table of positions in a list of its owner: open addressing, eight bytes an
/// entry, 32 of its bits the hash.
///
/// The owner compares the things themselves; hashes are made by ``hash(_:)``, whose seed is the process's own, so that no
/// client can choose things that collide.
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

    /// Forgets everything. Cost: in the order of what was in the table.
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

    /// A hash of bytes.
    func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let hash = bytes.tableHash(seed: seed.first, secret: seed.second)
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
