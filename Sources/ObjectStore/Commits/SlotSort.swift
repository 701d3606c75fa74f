import Bytes

/// Puts new slots of an overlay in the order of their keys, all at once.
///
/// They are parted by the first byte of their keys, the kind of entry, before: rows and primary keys of new
/// objects, half of most batches, are often in order among themselves already, and need no sort.
struct SlotSort {
    /// What is sorted: where the prefixes of keys differ, no key has to be looked at.
    private struct Item {
        var prefix: KeyPrefix
        var slot: Int32
    }

    private typealias Items = UnsafeMutableBufferPointer<Item>

    private static let kindCount = 8
    /// Up to how many keys that begin alike are compared as a whole.
    private static let alikeCountMax = 8

    private let overlay: Overlay
    /// The positions of the slots, in order after ``run()``.
    private(set) var positions: ContiguousArray<Int32>
    /// Whether a key may be there more than once.
    private(set) var repeats = false
    /// Where the positions of each kind begin, and where the last ones end.
    private var starts: [Int]
    /// Whether the slots of each kind are in order as they came, each key once.
    private var isSorted = [Bool](repeating: true, count: kindCount)

    /// The slots from `first` on, parted by kind.
    init(_ overlay: Overlay, from first: Int) {
        self.overlay = overlay
        let count = overlay.slots.count
        var ends = SIMD8<Int>()
        for position in first..<count {
            let next = Self.kind(overlay.slots[position]) + 1
            if next < Self.kindCount { ends[next] += 1 }
        }
        for kind in 1..<Self.kindCount { ends[kind] += ends[kind - 1] }
        starts = (0..<Self.kindCount).map { ends[$0] } + [count - first]
        var isSorted = isSorted
        let starts = starts
        positions = ContiguousArray(unsafeUninitializedCapacity: count - first) { places, filled in
            filled = count - first
            for position in first..<count {
                let slot = overlay.slots[position]
                let kind = Self.kind(slot)
                let place = ends[kind]
                ends[kind] += 1
                places[place] = Int32(position)
                if isSorted[kind], place > starts[kind] {
                    isSorted[kind] = Self.isAbove(slot, overlay.slots[Int(places[place - 1])])
                }
            }
        }
        self.isSorted = isSorted
    }

    @inline(__always)
    private static func kind(_ slot: Overlay.Slot) -> Int {
        min(Int(slot.prefix.high >> 56), kindCount - 1)
    }

    @inline(__always)
    private static func isAbove(_ slot: Overlay.Slot, _ other: Overlay.Slot) -> Bool {
        if slot.prefix.high != other.prefix.high { return slot.prefix.high > other.prefix.high }
        if slot.prefix.low != other.prefix.low { return slot.prefix.low > other.prefix.low }
        return compareKeys(slot.key, other.key) > 0
    }

    /// Sorts. Cost: `n log n` comparisons of two numbers for each kind that is not in order.
    mutating func run() {
        for kind in 0..<Self.kindCount where !isSorted[kind] {
            let range = starts[kind]..<starts[kind + 1]
            let items = Items.allocate(capacity: range.count)
            defer { items.deallocate() }
            for (place, position) in positions[range].enumerated() {
                items.initializeElement(
                    at: place,
                    to: Item(prefix: overlay.slots[Int(position)].prefix, slot: position))
            }
            sort(items, offset: 0)
            for (place, item) in items.enumerated() {
                positions[range.lowerBound + place] = item.slot
            }
        }
    }

    /// Sorts by sixteen bytes of the keys, then those that are equal so far by the next sixteen, and so on: a
    /// sort that compared whole keys would fetch each of them as often as it meets one that begins alike.
    ///
    /// - `offset`: Where in their keys the items' prefixes begin; all before is equal.
    private mutating func sort(_ items: Items, offset: Int) {
        var items = items
        items.sort { a, b in
            if a.prefix.high != b.prefix.high { return a.prefix.high < b.prefix.high }
            if a.prefix.low != b.prefix.low { return a.prefix.low < b.prefix.low }
            return a.slot < b.slot
        }
        var start = 0
        while start < items.count {
            let prefix = items[start].prefix
            var end = start + 1
            while end < items.count, items[end].prefix.low == prefix.low,
                items[end].prefix.high == prefix.high
            {
                end += 1
            }
            if end - start > 1 {
                sortAlike(Items(rebasing: items[start..<end]), offset: offset + 16)
            }
            start = end
        }
    }

    /// Sorts items whose keys are equal before `offset`, or end there.
    private mutating func sortAlike(_ items: Items, offset: Int) {
        let overlay = overlay
        // Where a key ends, the zeros behind it may stand for bytes of another one.
        if items.count > Self.alikeCountMax,
            items.allSatisfy({ overlay.slots[Int($0.slot)].key.count > offset })
        {
            for place in items.indices {
                let key = overlay.slots[Int(items[place].slot)].key
                items[place].prefix = KeyPrefix(UnsafeRawBufferPointer(rebasing: key[offset...]))
            }
            return sort(items, offset: offset)
        }
        var items = items
        var repeats = repeats
        items.sort { a, b in
            let order = compareKeys(overlay.slots[Int(a.slot)].key, overlay.slots[Int(b.slot)].key)
            if order != 0 { return order < 0 }
            repeats = true
            return a.slot < b.slot
        }
        self.repeats = repeats
    }
}
