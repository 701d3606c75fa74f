import Bytes

/// The slots of a list in the order of their keys, those of one key in the order in which they were added.
///
/// The first sixteen bytes of many keys are sorted without a comparison, byte by byte from the last to the first, in a
/// pass for each byte in which keys differ; where they are equal, whole keys are compared.
///
/// Source: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, with counts for lists).
struct SortedSlots: ~Copyable {
    /// A slot's place in its list beside the beginning of its key.
    private struct Rank {
        let prefix: KeyPrefix
        let position: Int32

        /// Whether its slot comes before another one.
        @inline(__always)
        func isBelow(_ other: Rank, _ slots: borrowing SlotList) -> Bool {
            if prefix.high != other.prefix.high { return prefix.high < other.prefix.high }
            if prefix.low != other.prefix.low { return prefix.low < other.prefix.low }
            let order = compareKeys(slots[Int(position)].key, slots[Int(other.position)].key)
            return order != 0 ? order < 0 : position < other.position
        }
    }

    /// From so many slots on, passes over all of them cost less than comparisons.
    private static let countedCountMin = 256

    private var ranks: UnsafeMutableBufferPointer<Rank>

    /// Sorts the slots of a list. Cost: up to sixteen passes over all of them; n log n look-ups of keys where many
    /// keys begin with the same sixteen bytes.
    init(_ slots: borrowing SlotList) {
        ranks = .allocate(capacity: slots.count)
        for index in 0..<slots.count {
            ranks.initializeElement(
                at: index, to: Rank(prefix: slots[index].prefix, position: Int32(index)))
        }
        if count < Self.countedCountMin {
            ranks.sort { a, b in a.isBelow(b, slots) }
        } else {
            sortByPrefix()
            sortAlike(slots)
        }
    }

    deinit { ranks.deallocate() }

    var count: Int { ranks.count }

    /// The place in its list of the slot that has so many before it.
    subscript(index: Int) -> Int { Int(ranks[index].position) }

    private mutating func sortByPrefix() {
        var spare = UnsafeMutableBufferPointer<Rank>.allocate(capacity: count)
        defer { spare.deallocate() }
        let first = ranks[0].prefix
        var differing = (high: 0 as UInt64, low: 0 as UInt64)
        for rank in ranks {
            differing.high |= rank.prefix.high ^ first.high
            differing.low |= rank.prefix.low ^ first.low
        }
        for shift in stride(from: 0 as UInt64, to: 64, by: 8)
        where differing.low >> shift & 0xFF != 0 {
            Self.pass(from: ranks, to: spare) { $0.prefix.low >> shift }
            swap(&ranks, &spare)
        }
        for shift in stride(from: 0 as UInt64, to: 64, by: 8)
        where differing.high >> shift & 0xFF != 0 {
            Self.pass(from: ranks, to: spare) { $0.prefix.high >> shift }
            swap(&ranks, &spare)
        }
    }

    /// Orders by the lowest byte of a word; what has the same byte stays in its order.
    @inline(__always)
    private static func pass(
        from: UnsafeMutableBufferPointer<Rank>, to: UnsafeMutableBufferPointer<Rank>,
        by word: (Rank) -> UInt64
    ) {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { starts in
            starts.initialize(repeating: 0)
            for rank in from { starts[Int(word(rank) & 0xFF)] += 1 }
            var start: Int32 = 0
            for byte in 0..<256 { (starts[byte], start) = (start, start + starts[byte]) }
            for rank in from {
                let byte = Int(word(rank) & 0xFF)
                to.initializeElement(at: Int(starts[byte]), to: rank)
                starts[byte] += 1
            }
        }
    }

    /// Sorts those whose keys begin alike by their whole keys.
    private func sortAlike(_ slots: borrowing SlotList) {
        var start = 0
        while start < count {
            let prefix = ranks[start].prefix
            var end = start + 1
            while end < count, ranks[end].prefix.low == prefix.low,
                ranks[end].prefix.high == prefix.high
            {
                end += 1
            }
            if end - start > 1 {
                var alike = ranks[start..<end]
                alike.sort { a, b in a.isBelow(b, slots) }
            }
            start = end
        }
    }
}
