import Bytes
import CMemory

/// Runs of slots as one, in the order of their keys: a tree of losers.
///
/// Slots of one key come in the order of their positions.
///
/// Source: Knuth, The Art of Computer Programming 3, 5.4.1 (tree of losers).
struct SlotMerge: ~Copyable {
    /// The first slot of a run that was not handed out.
    private struct Head {
        var prefix = KeyPrefix(high: .max, low: .max)
        var keyStart: UnsafeRawPointer?
        var keyByteCount: UInt32 = 0
        /// Its position; beyond all where the run has ended.
        var position = Int32.max
        /// The positions behind it.
        var next: UnsafePointer<Int32>
        let end: UnsafePointer<Int32>

        var key: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: keyStart, count: Int(keyByteCount))
        }

        /// Whether it comes before another one.
        @inline(__always)
        func isBelow(_ other: Head) -> Bool {
            if prefix.high != other.prefix.high { return prefix.high < other.prefix.high }
            if prefix.low != other.prefix.low { return prefix.low < other.prefix.low }
            if position == .max || other.position == .max { return position < other.position }
            let order = compareKeys(key, other.key)
            return order != 0 ? order < 0 : position < other.position
        }
    }

    /// How many slots of a run ahead of their turn the processor is asked for them, and for their keys: more than come
    /// in the time of a cache miss.
    private static let prefetchedSlotCount = 8
    private static let prefetchedKeyCount = 4

    private let runs: [SlotRun]
    private let heads: UnsafeMutablePointer<Head>
    /// For each inner node of the tree, from 1 on, the run that lost there; before them the run that won them all. The
    /// leaves, one for each run, are the nodes behind.
    private let losers: UnsafeMutablePointer<Int32>

    /// Begins with the first slots.
    init(_ runs: [SlotRun], _ slots: borrowing SlotList) {
        self.runs = runs.filter { !$0.positions.isEmpty }
        heads = .allocate(capacity: self.runs.count)
        losers = .allocate(capacity: max(1, self.runs.count))
        losers.initialize(repeating: 0, count: max(1, self.runs.count))
        for (place, run) in self.runs.enumerated() {
            guard let start = run.positions.baseAddress else { continue }
            (heads + place).initialize(to: Head(next: start, end: start + run.positions.count))
            advance(place, slots)
        }
        if !self.runs.isEmpty { losers[0] = Int32(winner(below: 1)) }
    }

    deinit {
        heads.deallocate()
        losers.deallocate()
    }

    /// The run that wins among those below a node; enters who loses.
    private func winner(below node: Int) -> Int {
        if node >= runs.count { return node - runs.count }
        let left = winner(below: 2 * node)
        let right = winner(below: 2 * node + 1)
        let isLeft = heads[left].isBelow(heads[right])
        losers[node] = Int32(isLeft ? right : left)
        return isLeft ? left : right
    }

    /// The position of the next slot; nil when there are no more.
    mutating func next(_ slots: borrowing SlotList) -> Int? {
        if runs.isEmpty { return nil }
        var winner = Int(losers[0])
        let position = heads[winner].position
        if position == .max { return nil }
        advance(winner, slots)
        var node = (winner + runs.count) / 2
        while node > 0 {
            let loser = Int(losers[node])
            if heads[loser].isBelow(heads[winner]) {
                losers[node] = Int32(winner)
                winner = loser
            }
            node /= 2
        }
        losers[0] = Int32(winner)
        return Int(position)
    }

    /// Takes the next slot of a run.
    @inline(__always)
    private func advance(_ run: Int, _ slots: borrowing SlotList) {
        let next = heads[run].next
        let count = heads[run].end - next
        guard count > 0 else {
            heads[run].prefix = KeyPrefix(high: .max, low: .max)
            heads[run].position = .max
            return
        }
        if count > Self.prefetchedSlotCount {
            slots.prefetch(Int(next[Self.prefetchedSlotCount]))
            shim_prefetch(slots.key(Int(next[Self.prefetchedKeyCount])).baseAddress)
        }
        let position = next.pointee
        let key = slots.key(Int(position))
        heads[run].prefix = slots.prefix(Int(position))
        heads[run].keyStart = key.baseAddress
        heads[run].keyByteCount = UInt32(truncatingIfNeeded: key.count)
        heads[run].position = position
        heads[run].next = next + 1
    }
}
