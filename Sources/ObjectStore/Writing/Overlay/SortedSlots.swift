import CHoldfastMemory
import HoldfastBytes

/// The slots of a list in the order of their keys; slots of one key in the order in which they were added.
///
/// Many keys are sorted by sixteen bytes at a time without a comparison: byte by byte from the last of these to the first, in a
/// pass for each byte in which keys differ. Keys that are equal so far are sorted by the next sixteen bytes, and so on, until
/// there are few.
///
/// Source: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, with counts for lists).
struct SortedSlots: ~Copyable {
    /// A slot's position in its list, with a part of its key. All bytes before this part equal the bytes of its neighbours.
    private struct Rank {
        var prefix: KeyPrefix
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

    private typealias Ranks = UnsafeMutableBufferPointer<Rank>

    /// The number of slots from which passes over all of them cost less than comparisons.
    private static let countedCountMin = 256
    /// So few are not worth a look at more of their keys before they are compared.
    private static let fewCount = 4
    private static let prefixByteCount = 16
    /// The number of keys that are prefetched at a time.
    private static let prefetchedCount = 8

    private var ranks: Ranks

    /// Sorts the slots of a list. Cost: for each sixteen bytes that many keys have in common up to sixteen passes over these;
    /// n log n comparisons where few do.
    init(_ slots: borrowing SlotList) {
        ranks = .allocate(capacity: slots.count)
        for index in 0..<slots.count {
            ranks.initializeElement(
                at: index, to: Rank(prefix: slots[index].prefix, position: Int32(index)))
        }
        if ranks.count < Self.countedCountMin {
            ranks.sort { a, b in a.isBelow(b, slots) }
            return
        }
        let spare = Ranks.allocate(capacity: ranks.count)
        defer { spare.deallocate() }
        Self.sort(ranks, behind: 0, slots, spare)
    }

    deinit { ranks.deallocate() }

    var count: Int { ranks.count }

    /// The position in its list of the slot at a position in sorted order.
    subscript(index: Int) -> Int { Int(ranks[index].position) }

    /// Prefetches the memory of slots that are about to be read.
    @inline(__always)
    func prefetch(behind index: Int, _ slots: borrowing SlotList) {
        Self.prefetch(ranks, behind: index, slots)
    }

    /// Keys are found by their slots, and both may be anywhere.
    @inline(__always)
    private static func prefetch(_ ranks: Ranks, behind index: Int, _ slots: borrowing SlotList) {
        let (near, far) = (index + prefetchedCount, index + 2 * prefetchedCount)
        if far < ranks.count { slots.prefetch(Int(ranks[far].position)) }
        if near < ranks.count { shim_prefetch(slots[Int(ranks[near].position)].key.baseAddress) }
    }

    /// Sorts many slots with prefixes that begin at a byte of their keys.
    ///
    /// - `spare`: Room for as many.
    private static func sort(
        _ ranks: Ranks, behind depth: Int, _ slots: borrowing SlotList, _ spare: Ranks
    ) {
        sortByPrefix(ranks, spare)
        let next = depth + prefixByteCount
        var start = 0
        while start < ranks.count {
            let prefix = ranks[start].prefix
            var end = start + 1
            while end < ranks.count, ranks[end].prefix.low == prefix.low,
                ranks[end].prefix.high == prefix.high
            {
                end += 1
            }
            var alike = Ranks(rebasing: ranks[start..<end])
            start = end
            if alike.count == 1 { continue }
            let goesOn = alike.count > fewCount && readPrefixes(of: alike, behind: next, slots)
            if goesOn, alike.count >= countedCountMin {
                sort(alike, behind: next, slots, spare)
            } else {
                alike.sort { a, b in a.isBelow(b, slots) }
            }
        }
    }

    /// Has prefixes begin at a byte of keys; false if all keys end before it.
    private static func readPrefixes(
        of ranks: Ranks, behind depth: Int, _ slots: borrowing SlotList
    ) -> Bool {
        var goesOn = false
        for index in ranks.indices {
            prefetch(ranks, behind: index, slots)
            let key = slots[Int(ranks[index].position)].key
            if key.count > depth { goesOn = true }
            ranks[index].prefix = KeyPrefix(UnsafeRawBufferPointer(rebasing: key.dropFirst(depth)))
        }
        return goesOn
    }

    private static func sortByPrefix(_ ranks: Ranks, _ spare: Ranks) {
        var (from, to) = (ranks, Ranks(rebasing: spare[..<ranks.count]))
        let first = ranks[0].prefix
        var differing = (high: 0 as UInt64, low: 0 as UInt64)
        for rank in ranks {
            differing.high |= rank.prefix.high ^ first.high
            differing.low |= rank.prefix.low ^ first.low
        }
        for shift in stride(from: 0 as UInt64, to: 64, by: 8)
        where differing.low >> shift & 0xFF != 0 {
            pass(from: from, to: to) { $0.prefix.low >> shift }
            swap(&from, &to)
        }
        for shift in stride(from: 0 as UInt64, to: 64, by: 8)
        where differing.high >> shift & 0xFF != 0 {
            pass(from: from, to: to) { $0.prefix.high >> shift }
            swap(&from, &to)
        }
        if from.baseAddress != ranks.baseAddress { _ = ranks.update(fromContentsOf: from) }
    }

    /// Orders by the lowest byte of a word. Slots with the same byte keep their order.
    @inline(__always)
    private static func pass(
        from: Ranks, to: Ranks, by word: (Rank) -> UInt64
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
}

/// The slots of one kind of key: a list that grows at its end and never moves its slots.
///
/// A transaction may have millions: an array that doubled would copy them again and again, into memory that
/// the kernel has to clear first.
struct SlotList: ~Copyable {
    typealias Slot = Overlay.Slot

    /// A chunk has so many slots that most transactions take and return memory that `malloc` has at hand.
    private static let chunkBits = 12

    private var chunks: ContiguousArray<UnsafeMutablePointer<Slot>> = []
    private(set) var count = 0

    init() {}

    deinit { for chunk in chunks { chunk.deallocate() } }

    @inline(__always)
    private func pointer(_ index: Int) -> UnsafeMutablePointer<Slot> {
        chunks[index >> Self.chunkBits] + (index & (1 << Self.chunkBits - 1))
    }

    subscript(index: Int) -> Slot {
        @inline(__always) _read { yield pointer(index).pointee }
        @inline(__always) nonmutating _modify { yield &pointer(index).pointee }
    }

    /// Has a slot's memory come nearer.
    @inline(__always)
    func prefetch(_ index: Int) { shim_prefetch(pointer(index)) }

    /// Adds a slot at the end.
    mutating func append(_ slot: Slot) {
        if count == chunks.count << Self.chunkBits {
            chunks.append(.allocate(capacity: 1 << Self.chunkBits))
        }
        pointer(count).initialize(to: slot)
        count += 1
    }

    /// Forgets all of them, and frees all chunks but one.
    mutating func removeAll() {
        for chunk in chunks.dropFirst() { chunk.deallocate() }
        chunks.removeSubrange(min(1, chunks.count)...)
        count = 0
    }
}
