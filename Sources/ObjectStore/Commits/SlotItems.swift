import Bytes

/// Slots of a list that are being sorted by their keys, with as much of the keys as lies next to each other.
struct SlotItems: ~Copyable {
    /// Where the prefixes of keys differ, no key has to be looked at.
    private struct Item {
        var prefix: KeyPrefix
        var slot: Int32

        /// Whether its prefix comes before another's.
        @inline(__always)
        func isBelow(_ other: Item) -> Bool {
            if prefix.high != other.prefix.high { return prefix.high < other.prefix.high }
            return prefix.low < other.prefix.low
        }
    }

    private typealias Items = UnsafeMutableBufferPointer<Item>

    /// Up to how many keys that begin alike are compared as a whole.
    private static let alikeCountMax = 8
    /// From so many items on they are counted by their bytes, which needs no comparison.
    private static let countedCountMin = 256

    /// The memory of one.
    static let itemByteCount = MemoryLayout<Item>.stride

    private let items: Items
    /// As much room again, for what goes from one order to the next while they are sorted.
    private var spare = Items(start: nil, count: 0)
    /// Whether a key was found more than once.
    private(set) var repeats = false

    /// The slots of a list from one on, which must not change until they are sorted.
    init(_ slots: borrowing SlotList, from first: Int) {
        let count = slots.count - first
        items = Items.allocate(capacity: count)
        KernelMemory.expectUse(of: UnsafeMutableRawBufferPointer(items))
        for place in 0..<count {
            items.initializeElement(
                at: place,
                to: Item(prefix: slots[first + place].prefix, slot: Int32(first + place)))
        }
    }

    deinit { items.deallocate() }

    /// How many there are.
    var count: Int { items.count }

    /// The position of the slot at a place.
    subscript(place: Int) -> Int32 { items[place].slot }

    /// Puts them in the order of their keys, those of one key in the order of their positions.
    ///
    /// - `slots`: The list that they are from.
    /// - `block`: Room for as many items, aligned like them, that nobody else uses meanwhile.
    mutating func sort(_ slots: borrowing SlotList, using block: UnsafeMutableRawBufferPointer) {
        precondition(block.count >= items.count * Self.itemByteCount)
        spare = Items(
            start: block.baseAddress?.bindMemory(to: Item.self, capacity: items.count),
            count: items.count)
        sort(0..<items.count, offset: 0, slots)
    }

    /// Sorts by sixteen bytes of the keys, then those that are equal so far by the next sixteen, and so on: a
    /// sort that compared whole keys would fetch each of them as often as it meets one that begins alike.
    ///
    /// - `places`: Which items; those with equal prefixes are in the order of their positions.
    /// - `offset`: Where in their keys the items' prefixes begin; all before is equal.
    private mutating func sort(
        _ places: Range<Int>, offset: Int, _ slots: borrowing SlotList
    ) {
        if places.count < Self.countedCountMin {
            Self.sort(Items(rebasing: items[places]))
        } else {
            sortByCounting(places)
        }
        var start = places.lowerBound
        while start < places.upperBound {
            let prefix = items[start].prefix
            var end = start + 1
            while end < places.upperBound, items[end].prefix.low == prefix.low,
                items[end].prefix.high == prefix.high
            {
                end += 1
            }
            if end - start > 1 { sortAlike(start..<end, offset: offset + 16, slots) }
            start = end
        }
    }

    /// Sorts items whose keys are equal before `offset`, or end there.
    private mutating func sortAlike(
        _ places: Range<Int>, offset: Int, _ slots: borrowing SlotList
    ) {
        // Where a key ends, the zeros behind it may stand for bytes of another one.
        if places.count > Self.alikeCountMax,
            items[places].allSatisfy({ slots[Int($0.slot)].key.count > offset })
        {
            for place in places {
                let key = slots[Int(items[place].slot)].key
                items[place].prefix = KeyPrefix(UnsafeRawBufferPointer(rebasing: key[offset...]))
            }
            return sort(places, offset: offset, slots)
        }
        var repeats = repeats
        var alike = items[places]
        alike.sort { a, b in
            let order = compareKeys(slots[Int(a.slot)].key, slots[Int(b.slot)].key)
            if order != 0 { return order < 0 }
            repeats = true
            return a.slot < b.slot
        }
        self.repeats = repeats
    }

    // MARK: By prefix

    /// Sorts a few items by their prefixes, equal ones by their positions.
    private static func sort(_ items: Items) {
        var items = items
        items.sort { a, b in a.isBelow(b) || !b.isBelow(a) && a.slot < b.slot }
    }

    /// Sorts many items by their prefixes, byte by byte from the last to the first: a pass over them for each
    /// byte in which they differ. Equal ones stay as they are.
    ///
    /// Source: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, with counts for lists).
    private mutating func sortByCounting(_ places: Range<Int>) {
        var from = Items(rebasing: items[places])
        var to = Items(rebasing: spare[places])
        let first = from[0].prefix
        var differing = (high: 0 as UInt64, low: 0 as UInt64)
        var isSorted = true
        for place in 1..<from.count {
            differing.high |= from[place].prefix.high ^ first.high
            differing.low |= from[place].prefix.low ^ first.low
            if from[place].isBelow(from[place - 1]) { isSorted = false }
        }
        if isSorted { return }
        var isInSpare = false
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { starts in
            for byte in 0..<16 {
                let isLow = byte < 8
                let shift = UInt64(byte & 7) * 8
                guard (isLow ? differing.low : differing.high) >> shift & 0xFF != 0 else {
                    continue
                }
                Self.pass(from, to, starts, isLow: isLow, shift: shift)
                swap(&from, &to)
                isInSpare.toggle()
            }
        }
        if isInSpare { _ = to.update(fromContentsOf: from) }
    }

    /// Moves items to where they belong by one byte.
    @inline(__always)
    private static func pass(
        _ from: Items, _ to: Items, _ starts: UnsafeMutableBufferPointer<Int32>, isLow: Bool,
        shift: UInt64
    ) {
        starts.initialize(repeating: 0)
        for item in from {
            let word = isLow ? item.prefix.low : item.prefix.high
            starts[Int(word >> shift & 0xFF)] += 1
        }
        var start: Int32 = 0
        for byte in 0..<256 {
            let count = starts[byte]
            starts[byte] = start
            start += count
        }
        for item in from {
            let word = isLow ? item.prefix.low : item.prefix.high
            let byte = Int(word >> shift & 0xFF)
            to.initializeElement(at: Int(starts[byte]), to: item)
            starts[byte] += 1
        }
    }
}
