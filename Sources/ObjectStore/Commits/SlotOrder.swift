import Bytes
import Storage

/// The slots of an overlay in the order of their keys.
///
/// Slots come in at the end of the overlay's list and are ordered later: one by one for a scan, since
/// another may follow after every change, each into a chunk of bounded size; or all at once for a
/// commit. Slots of one key stand in the order in which they were made.
struct SlotOrder {
    private static let chunkCountMax = 128

    /// Positions of slots, sorted by key; no chunk is empty unless there is just one.
    private var chunks: ContiguousArray<ContiguousArray<Int32>> = [[]]
    /// How many slots are in the chunks: the first so many of the overlay.
    private var count = 0

    /// Forgets everything.
    mutating func removeAll() {
        if count > 0 { chunks = [[]] }
        count = 0
    }

    /// A position in one of the chunks, or behind the end of one.
    struct Place {
        fileprivate var chunk: Int
        var position: Int
    }

    /// The slot at a place, which moves on to the next chunk if it is behind the end of one; nil behind
    /// the last slot.
    func position(_ place: inout Place) -> Int? {
        while place.position >= chunks[place.chunk].count {
            guard place.chunk + 1 < chunks.count else { return nil }
            place = Place(chunk: place.chunk + 1, position: 0)
        }
        return Int(chunks[place.chunk][place.position])
    }

    /// The place of the first slot whose key is not below `key`.
    func firstPlace(of key: UnsafeRawBufferPointer, _ overlay: Overlay) -> Place {
        place(of: key, behind: -1, overlay)
    }

    /// The place behind all slots whose keys compare with `key` as `order`, 0 or −1, or less.
    private func place(
        of key: UnsafeRawBufferPointer, behind order: Int, _ overlay: Overlay
    ) -> Place {
        let prefix = KeyPrefix(key)
        var low = 0
        var high = chunks.count
        // The last chunk whose first slot the place is behind.
        while high - low > 1 {
            let middle = (low + high) / 2
            if Self.order(of: chunks[middle][0], prefix, key, overlay) <= order {
                low = middle
            } else {
                high = middle
            }
        }
        var from = 0
        var to = chunks[low].count
        while from < to {
            let middle = (from + to) / 2
            if Self.order(of: chunks[low][middle], prefix, key, overlay) <= order {
                from = middle + 1
            } else {
                to = middle
            }
        }
        return Place(chunk: low, position: from)
    }

    /// How the key of a slot compares with a key and its prefix: below, equal or above zero.
    @inline(__always)
    private static func order(
        of slot: Int32, _ prefix: KeyPrefix, _ key: UnsafeRawBufferPointer, _ overlay: Overlay
    ) -> Int {
        let other = overlay.slots[Int(slot)].prefix
        if other.high != prefix.high { return other.high < prefix.high ? -1 : 1 }
        if other.low != prefix.low { return other.low < prefix.low ? -1 : 1 }
        return compareKeys(overlay.slots[Int(slot)].key, key)
    }

    /// Takes in the slots that the overlay has got since. Cost: a binary search for each.
    mutating func append(slotsOf overlay: Overlay) {
        while count < overlay.slots.count {
            let place = place(of: overlay.slots[count].key, behind: 0, overlay)
            chunks[place.chunk].insert(Int32(count), at: place.position)
            if chunks[place.chunk].count > Self.chunkCountMax { split(place.chunk) }
            count += 1
        }
    }

    /// Halves a full chunk; the last one keeps most of its entries, since keys tend to rise.
    private mutating func split(_ chunk: Int) {
        let count = chunks[chunk].count
        let kept = chunk == chunks.count - 1 ? count - count / 8 : count / 2
        let moved = ContiguousArray(chunks[chunk][kept...])
        chunks[chunk].removeSubrange(kept...)
        chunks.insert(moved, at: chunk + 1)
    }

    // MARK: All at once

    /// What is sorted: where the prefixes of keys differ, no key has to be looked at.
    private struct Item {
        var prefix: KeyPrefix
        var slot: Int32
    }

    /// Hands all slots of the overlay to `body` in order, and whether a slot may have the key of the one
    /// before; those that are not in the chunks stay out of them. Cost: a sort of those.
    func forEachSlot(of overlay: Overlay, _ body: (Overlay.Slot, _ mayRepeat: Bool) -> Void) {
        let slots = overlay.slots
        var mayRepeat = count > 0
        var items = Self.sortedItems(slots, from: count, &mayRepeat)[...]
        for chunk in chunks {
            for position in chunk {
                let slot = slots[Int(position)]
                while let item = items.first, compareKeys(slots[Int(item.slot)].key, slot.key) < 0 {
                    body(slots[Int(item.slot)], mayRepeat)
                    items.removeFirst()
                }
                body(slot, mayRepeat)
            }
        }
        for item in items { body(slots[Int(item.slot)], mayRepeat) }
    }

    /// The slots from `first` on, sorted. A sort compares what is to stand side by side, so it sets
    /// `repeats` when a key stands there more than once.
    ///
    /// They are parted by the first byte of their keys, the kind of entry, before: rows of new objects,
    /// a good part of most batches, are in order among themselves already.
    private static func sortedItems(
        _ slots: ContiguousArray<Overlay.Slot>, from first: Int, _ repeats: inout Bool
    ) -> ContiguousArray<Item> {
        ContiguousArray(unsafeUninitializedCapacity: slots.count - first) { items, count in
            count = slots.count - first
            // Where each kind ends, while they are being entered; the last ones share one.
            var ends = SIMD8<Int>()
            for position in first..<slots.count {
                let next = kind(slots[position]) + 1
                if next < kindCount { ends[next] += 1 }
            }
            for kind in 1..<kindCount { ends[kind] += ends[kind - 1] }
            let starts = ends
            for position in first..<slots.count {
                let kind = kind(slots[position])
                (items.baseAddress.unsafelyUnwrapped + ends[kind]).initialize(
                    to: Item(prefix: slots[position].prefix, slot: Int32(position)))
                ends[kind] += 1
            }
            for kind in 0..<kindCount where ends[kind] - starts[kind] > 1 {
                var part = UnsafeMutableBufferPointer(rebasing: items[starts[kind]..<ends[kind]])
                sort(&part, slots, &repeats)
            }
        }
    }

    private static let kindCount = 8

    @inline(__always)
    private static func kind(_ slot: Overlay.Slot) -> Int {
        min(Int(slot.prefix.high >> 56), kindCount - 1)
    }

    /// Sorts by sixteen bytes of the keys, then those that are equal so far by the next sixteen, and so on: a
    /// sort that compared whole keys would fetch each of them as often as it meets one that begins alike.
    ///
    /// - `offset`: Where in their keys the items' prefixes begin; all before is equal.
    private static func sort(
        _ items: inout UnsafeMutableBufferPointer<Item>, _ slots: ContiguousArray<Overlay.Slot>,
        _ repeats: inout Bool, offset: Int = 0
    ) {
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
                var run = UnsafeMutableBufferPointer(rebasing: items[start..<end])
                sortAlike(&run, slots, &repeats, offset: offset + 16)
            }
            start = end
        }
    }

    /// Up to how many keys that begin alike are compared as a whole.
    private static let alikeCountMax = 8

    /// Sorts items whose keys are equal before `offset`, or end there.
    private static func sortAlike(
        _ items: inout UnsafeMutableBufferPointer<Item>, _ slots: ContiguousArray<Overlay.Slot>,
        _ repeats: inout Bool, offset: Int
    ) {
        // Where a key ends, the zeros behind it may stand for bytes of another one.
        if items.count > alikeCountMax,
            items.allSatisfy({ slots[Int($0.slot)].key.count > offset })
        {
            for place in items.indices {
                let key = slots[Int(items[place].slot)].key
                items[place].prefix = KeyPrefix(UnsafeRawBufferPointer(rebasing: key[offset...]))
            }
            return sort(&items, slots, &repeats, offset: offset)
        }
        items.sort { a, b in
            let order = compareKeys(slots[Int(a.slot)].key, slots[Int(b.slot)].key)
            if order != 0 { return order < 0 }
            repeats = true
            return a.slot < b.slot
        }
    }
}
