import Threads

/// Puts new slots of an overlay in the order of their keys, all at once.
///
/// They are parted by the first byte of their keys, the kind of entry, before: rows and primary keys of new
/// objects, half of most batches, are often in order among themselves already, and need no sort. Of many
/// slots a thread beside the caller sorts the kind that has most of those that do.
struct SlotSort {
    private static let kindCount = 8
    /// Of so many slots that are not in order a thread may sort some: it costs some tens of microseconds.
    private static let sharedCountMin = 1 << 16

    private let overlay: Overlay
    /// The positions of the slots, in order after ``run()``.
    private(set) var positions: ContiguousArray<Int32>
    /// Whether a key may be there more than once.
    private(set) var repeats = false
    /// Where the positions of each kind begin, and where the last ones end.
    private let starts: [Int]
    /// The kinds whose slots are not in order as they came.
    private let unsortedKinds: [Int]

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
        let starts = (0..<Self.kindCount).map { ends[$0] } + [count - first]
        var isSorted = [Bool](repeating: true, count: Self.kindCount)
        positions = ContiguousArray(unsafeUninitializedCapacity: count - first) { places, filled in
            KernelMemory.expectUse(of: UnsafeMutableRawBufferPointer(places))
            filled = count - first
            for position in first..<count {
                let slot = overlay.slots[position]
                let kind = Self.kind(slot)
                let place = ends[kind]
                ends[kind] += 1
                places[place] = Int32(position)
                if isSorted[kind], place > starts[kind] {
                    isSorted[kind] = overlay.slots[Int(places[place - 1])].isBelow(slot)
                }
            }
        }
        self.starts = starts
        unsortedKinds = isSorted.indices.filter { !isSorted[$0] }
    }

    @inline(__always)
    private static func kind(_ slot: Overlay.Slot) -> Int {
        min(Int(slot.prefix.high >> 56), kindCount - 1)
    }

    /// Sorts. Cost: `n log n` comparisons of two numbers for each kind that is not in order.
    mutating func run() {
        guard !unsortedKinds.isEmpty else { return }
        var kinds = unsortedKinds
        var shared: SharedSlotSort?
        if kinds.count > 1, kinds.reduce(0, { $0 + count($1) }) >= Self.sharedCountMin,
            let largest = kinds.max(by: { count($0) < count($1) })
        {
            shared = SharedSlotSort(items(largest), kind: largest)
            if shared != nil { kinds.removeAll { $0 == largest } }
        }
        for kind in kinds {
            var items = items(kind)
            items.sort()
            take(items, kind)
        }
        if let shared { shared.finish { take($0, shared.kind) } }
    }

    private func count(_ kind: Int) -> Int { starts[kind + 1] - starts[kind] }

    private func items(_ kind: Int) -> SlotItems {
        SlotItems(overlay, positions[starts[kind]..<starts[kind + 1]])
    }

    private mutating func take(_ items: borrowing SlotItems, _ kind: Int) {
        for place in 0..<items.count { positions[starts[kind] + place] = items[place] }
        if items.repeats { repeats = true }
    }
}
