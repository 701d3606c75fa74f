import Bytes
import CMemory

/// Slots of a span that are being sorted by their keys, with as much of the keys as lies next to each other.
struct SlotItems: ~Copyable {
    /// Where the prefixes of keys differ, no key has to be looked at.
    private struct Item {
        var prefix: KeyPrefix
        /// How far behind the first slot of the span it is.
        var place: Int32

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
    /// So many items and as much room again fit a processor's own cache, where passes over them are cheap.
    private static let cachedCountMax = 1 << 14
    /// How many items ahead of their turn the processor is asked for their slots: more than come in the time of a
    /// cache miss.
    private static let prefetchedSlotCount = 16

    private let span: SlotSpan
    private let items: Items
    /// As much room again, for what goes from one order to the next while they are sorted.
    private let spare: Items

    /// A span's slots in order.
    static func run(of span: SlotSpan) -> SlotRun {
        var items = SlotItems(span)
        items.sort(0..<span.count, offset: 0)
        return SlotRun(count: span.count) { positions in
            for index in 0..<span.count {
                let position = Int32(span.first) + items.items[index].place
                positions.initializeElement(at: index, to: position)
            }
        }
    }

    private init(_ span: SlotSpan) {
        self.span = span
        items = .allocate(capacity: span.count)
        spare = .allocate(capacity: span.count)
        for place in 0..<span.count {
            items.initializeElement(
                at: place, to: Item(prefix: span.prefix(place), place: Int32(place)))
        }
    }

    deinit {
        items.deallocate()
        spare.deallocate()
    }

    /// Sorts by sixteen bytes of the keys, then those that are equal so far by the next sixteen, and so on: a
    /// sort that compared whole keys would fetch each of them as often as it meets one that begins alike.
    ///
    /// - `range`: Which items; those with equal prefixes are in the order of their positions.
    /// - `offset`: Where in their keys the items' prefixes begin; all before is equal.
    private mutating func sort(_ range: Range<Int>, offset: Int) {
        if range.count < Self.countedCountMin {
            Self.sort(Items(rebasing: items[range]))
        } else {
            sortByCounting(range)
        }
        var start = range.lowerBound
        while start < range.upperBound {
            let prefix = items[start].prefix
            var end = start + 1
            while end < range.upperBound, items[end].prefix.low == prefix.low,
                items[end].prefix.high == prefix.high
            {
                end += 1
            }
            if end - start > 1 { sortAlike(start..<end, offset: offset + 16) }
            start = end
        }
    }

    /// Sorts items whose keys are equal before `offset`, or end there.
    private mutating func sortAlike(_ range: Range<Int>, offset: Int) {
        // Where a key ends, the zeros behind it may stand for bytes of another one.
        if range.count > Self.alikeCountMax, allReach(range, beyond: offset) {
            for index in range {
                let key = span.key(Int(items[index].place))
                items[index].prefix = KeyPrefix(UnsafeRawBufferPointer(rebasing: key[offset...]))
            }
            return sort(range, offset: offset)
        }
        let span = span
        var alike = items[range]
        alike.sort { a, b in
            let order = compareKeys(span.key(Int(a.place)), span.key(Int(b.place)))
            return order != 0 ? order < 0 : a.place < b.place
        }
    }

    /// Whether all keys of some items have more than `offset` bytes; asks the processor for the bytes behind it.
    private func allReach(_ range: Range<Int>, beyond offset: Int) -> Bool {
        for index in range {
            // In the order of keys, slots lie anywhere in memory.
            let ahead = index + Self.prefetchedSlotCount
            if ahead < items.count { span.prefetch(Int(items[ahead].place)) }
            let key = span.key(Int(items[index].place))
            guard key.count > offset else { return false }
            shim_prefetch(key.baseAddress.map { $0 + offset })
        }
        return true
    }

    // MARK: By prefix

    /// Sorts a few items by their prefixes, equal ones by their positions.
    private static func sort(_ items: Items) {
        var items = items
        items.sort { a, b in a.isBelow(b) || !b.isBelow(a) && a.place < b.place }
    }

    /// Sorts many items by their prefixes without comparing them. Equal ones stay as they are.
    ///
    /// More than a processor's cache holds are parted by the highest byte in which they differ, and each part is
    /// sorted by itself; fewer are sorted byte by byte from the last to the first, in a pass for each byte in which
    /// they differ.
    ///
    /// Source: Knuth, The Art of Computer Programming 3, 5.2.5 (radix list sort, with counts for lists).
    private mutating func sortByCounting(_ range: Range<Int>) {
        var from = Items(rebasing: items[range])
        var to = Items(rebasing: spare[range])
        let first = from[0].prefix
        var differing = (high: 0 as UInt64, low: 0 as UInt64)
        var isSorted = true
        for place in 1..<from.count {
            differing.high |= from[place].prefix.high ^ first.high
            differing.low |= from[place].prefix.low ^ first.low
            if from[place].isBelow(from[place - 1]) { isSorted = false }
        }
        if isSorted { return }
        if range.count > Self.cachedCountMax {
            let isLow = differing.high == 0
            return part(range, byHighestOf: isLow ? differing.low : differing.high, isLow: isLow)
        }
        var isInSpare = false
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { ends in
            for byte in 0..<16 {
                let isLow = byte < 8
                let shift = UInt64(byte & 7) * 8
                guard (isLow ? differing.low : differing.high) >> shift & 0xFF != 0 else {
                    continue
                }
                Self.pass(from, to, ends, isLow: isLow, shift: shift)
                swap(&from, &to)
                isInSpare.toggle()
            }
        }
        if isInSpare { _ = to.update(fromContentsOf: from) }
    }

    /// Parts items by the highest byte in which they differ, and sorts each part.
    ///
    /// - `differing`: The bits in which items differ, of that half of their prefixes where the highest one is.
    private mutating func part(
        _ range: Range<Int>, byHighestOf differing: UInt64, isLow: Bool
    ) {
        let shift = UInt64(63 - differing.leadingZeroBitCount) & ~7
        let from = Items(rebasing: items[range])
        let to = Items(rebasing: spare[range])
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { ends in
            Self.pass(from, to, ends, isLow: isLow, shift: shift)
            _ = from.update(fromContentsOf: to)
            var start = range.lowerBound
            for byte in 0..<256 {
                let end = range.lowerBound + Int(ends[byte])
                if end - start >= Self.countedCountMin {
                    sortByCounting(start..<end)
                } else if end - start > 1 {
                    Self.sort(Items(rebasing: items[start..<end]))
                }
                start = end
            }
        }
    }

    /// Moves items to where they belong by one byte.
    ///
    /// - `ends`: Room for 256 numbers; is set to where the items of each byte end.
    @inline(__always)
    private static func pass(
        _ from: Items, _ to: Items, _ ends: UnsafeMutableBufferPointer<Int32>, isLow: Bool,
        shift: UInt64
    ) {
        ends.initialize(repeating: 0)
        for item in from {
            let word = isLow ? item.prefix.low : item.prefix.high
            ends[Int(word >> shift & 0xFF)] += 1
        }
        var start: Int32 = 0
        for byte in 0..<256 {
            let count = ends[byte]
            ends[byte] = start
            start += count
        }
        for item in from {
            let word = isLow ? item.prefix.low : item.prefix.high
            let byte = Int(word >> shift & 0xFF)
            to.initializeElement(at: Int(ends[byte]), to: item)
            ends[byte] += 1
        }
    }
}
