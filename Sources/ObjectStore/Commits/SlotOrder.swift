import Bytes

/// The slots of one kind in the order of their keys.
///
/// Slots come in at the end of a list and are ordered later: one by one for a scan, since
/// another may follow after every change, each into a chunk of bounded size; or all at once for a
/// commit. Slots of one key stand in the order in which they were made.
struct SlotOrder {
    private static let chunkCountMax = 128
    /// How many slots ahead of their turn the processor is asked for them: more than come in the time of a
    /// cache miss.
    private static let prefetchedSlotCount = 16

    /// Positions of slots, sorted by key; no chunk is empty unless there is just one.
    private var chunks: ContiguousArray<ContiguousArray<Int32>> = [[]]
    /// How many slots are in the chunks: the first so many of the list.
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
    func index(at place: inout Place) -> Int? {
        while place.position >= chunks[place.chunk].count {
            guard place.chunk + 1 < chunks.count else { return nil }
            place = Place(chunk: place.chunk + 1, position: 0)
        }
        return Int(chunks[place.chunk][place.position])
    }

    /// The place of the first slot whose key is not below `key`.
    func firstPlace(of key: UnsafeRawBufferPointer, _ slots: borrowing SlotList) -> Place {
        place(of: key, behind: -1, slots)
    }

    /// The place behind all slots whose keys compare with `key` as `order`, 0 or −1, or less.
    private func place(
        of key: UnsafeRawBufferPointer, behind order: Int, _ slots: borrowing SlotList
    ) -> Place {
        let prefix = KeyPrefix(key)
        var low = 0
        var high = chunks.count
        // The last chunk whose first slot the place is behind.
        while high - low > 1 {
            let middle = (low + high) / 2
            if slots[Int(chunks[middle][0])].compare(with: key, prefix) <= order {
                low = middle
            } else {
                high = middle
            }
        }
        var from = 0
        var to = chunks[low].count
        while from < to {
            let middle = (from + to) / 2
            if slots[Int(chunks[low][middle])].compare(with: key, prefix) <= order {
                from = middle + 1
            } else {
                to = middle
            }
        }
        return Place(chunk: low, position: from)
    }

    /// Takes in the slots that the list has got since. Cost: a binary search for each.
    mutating func append(slotsOf slots: borrowing SlotList) {
        while count < slots.count {
            let place = place(of: slots[count].key, behind: 0, slots)
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

    /// Hands all slots to `body` in order, and whether a slot may have the key of the one before; those that are
    /// not in the chunks stay out of them. Cost: a sort of those.
    ///
    /// - `block`: Is used before `body` is first called; it has ``SlotItems/itemByteCount`` bytes for each slot.
    func forEachSlot(
        of slots: borrowing SlotList, using block: UnsafeMutableRawBufferPointer,
        _ body: (Overlay.Slot, _ mayRepeat: Bool) -> Void
    ) {
        var ordered = Place(chunk: 0, position: 0)
        var items = SlotItems(slots, from: count)
        items.sort(slots, using: block)
        for place in 0..<items.count {
            // In the order of keys, slots lie anywhere in memory.
            let ahead = place + Self.prefetchedSlotCount
            if ahead < items.count { slots.prefetch(Int(items[ahead])) }
            let slot = slots[Int(items[place])]
            if count > 0 { forEachSlot(of: slots, before: slot, &ordered, body) }
            body(slot, items.repeats || count > 0)
        }
        if count > 0 { forEachSlot(of: slots, before: nil, &ordered, body) }
    }

    /// Hands the slots in the chunks to `body` whose keys do not come after that of another; all of them for
    /// none.
    private func forEachSlot(
        of slots: borrowing SlotList, before other: Overlay.Slot?, _ place: inout Place,
        _ body: (Overlay.Slot, _ mayRepeat: Bool) -> Void
    ) {
        while let index = index(at: &place) {
            let slot = slots[index]
            if let other, other.isBelow(slot) { return }
            body(slot, true)
            place.position += 1
        }
    }
}
