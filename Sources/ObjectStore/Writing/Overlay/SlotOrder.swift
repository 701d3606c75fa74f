import HoldfastBytes

/// The slots of one kind in the order of their keys.
///
/// Slots are appended to a list and ordered when they are scanned: one by one, since another scan may follow after every change,
/// each into a chunk of bounded size. Slots of one key stand in the order in which they were made.
struct SlotOrder {
    private static let chunkCountMax = 128

    /// Positions of slots, sorted by key; no chunk is empty unless there is just one.
    private var chunks: ContiguousArray<ContiguousArray<Int32>> = [[]]
    /// The number of slots in the chunks, the first ones of the list.
    private(set) var count = 0

    /// Forgets everything.
    mutating func removeAll() {
        if count > 0 { chunks = [[]] }
        count = 0
    }

    /// A position in one of the chunks, or behind the end of one.
    struct Cursor {
        fileprivate var chunk: Int
        var position: Int
    }

    /// The slot at a cursor, which moves on to the next chunk if it is behind the end of one; nil behind the last slot.
    func index(at cursor: inout Cursor) -> Int? {
        while cursor.position >= chunks[cursor.chunk].count {
            guard cursor.chunk + 1 < chunks.count else { return nil }
            cursor = Cursor(chunk: cursor.chunk + 1, position: 0)
        }
        return Int(chunks[cursor.chunk][cursor.position])
    }

    /// The cursor of the first slot with a key that is not below `key`.
    func firstCursor(of key: UnsafeRawBufferPointer, _ slots: borrowing SlotList) -> Cursor {
        cursor(of: key, behind: -1, slots)
    }

    /// The cursor behind all slots with keys that compare to `key` as `order`, 0 or −1, or less.
    private func cursor(
        of key: UnsafeRawBufferPointer, behind order: Int, _ slots: borrowing SlotList
    ) -> Cursor {
        let prefix = KeyPrefix(key)
        // The last chunk that begins before the cursor.
        let chunk = partitionPoint(chunks.count - 1) {
            slots[Int(chunks[$0 + 1][0])].compare(with: key, prefix) <= order
        }
        let position = partitionPoint(chunks[chunk].count) {
            slots[Int(chunks[chunk][$0])].compare(with: key, prefix) <= order
        }
        return Cursor(chunk: chunk, position: position)
    }

    /// Takes in the slots that the list has got since. Cost: a binary search for each.
    mutating func append(slotsOf slots: borrowing SlotList) {
        while count < slots.count {
            let cursor = cursor(of: slots[count].key, behind: 0, slots)
            chunks[cursor.chunk].insert(Int32(count), at: cursor.position)
            if chunks[cursor.chunk].count > Self.chunkCountMax { split(cursor.chunk) }
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
}
