import Bytes

/// Slots of an overlay that are being sorted by their keys, with as much of the keys as lies next to each other.
struct SlotItems: ~Copyable {
    /// Where the prefixes of keys differ, no key has to be looked at.
    private struct Item {
        var prefix: KeyPrefix
        var slot: Int32
    }

    private typealias Items = UnsafeMutableBufferPointer<Item>

    /// Up to how many keys that begin alike are compared as a whole.
    private static let alikeCountMax = 8

    private let overlay: Overlay
    private let items: Items
    /// Whether a key was found more than once.
    private(set) var repeats = false

    /// Slots by their positions, which must not change until they are sorted.
    init(_ overlay: Overlay, _ positions: ContiguousArray<Int32>.SubSequence) {
        self.overlay = overlay
        items = Items.allocate(capacity: positions.count)
        for (place, position) in positions.enumerated() {
            items.initializeElement(
                at: place,
                to: Item(prefix: overlay.slots[Int(position)].prefix, slot: position))
        }
    }

    deinit { items.deallocate() }

    /// How many there are.
    var count: Int { items.count }

    /// The position of the slot at a place.
    subscript(place: Int) -> Int32 { items[place].slot }

    /// Puts them in the order of their keys, those of one key in the order of their positions.
    mutating func sort() { sort(items, offset: 0) }

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
