import Threads

/// Puts new slots of an overlay in the order of their keys, kind by kind as they are asked for.
///
/// They are parted by the first byte of their keys, the kind of entry, before: rows and primary keys of new
/// objects, half of most batches, are often in order among themselves already, and need no sort. Where many
/// slots are not, a thread beside the caller sorts them while the caller is still busy with the kinds before.
struct SlotSort {
    private static let kindCount = 8
    /// Of so many slots that are not in order a thread sorts them: it costs some tens of microseconds.
    private static let sharedCountMin = 1 << 16

    private let overlay: Overlay
    /// The positions of the slots, parted by kind; in order where a kind came in order.
    private let positions: ContiguousArray<Int32>
    /// Where the positions of each kind begin, and where the last ones end.
    private let starts: [Int]
    /// Whether the slots of a kind came in order.
    private let isSorted: [Bool]
    private let shared: SharedSlotSort?

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
        let positions = ContiguousArray<Int32>(unsafeUninitializedCapacity: count - first) {
            places, filled in
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
        self.isSorted = isSorted
        self.positions = positions
        let kinds = isSorted.indices.filter { !isSorted[$0] }
        let unsortedCount = kinds.reduce(0) { $0 + starts[$1 + 1] - starts[$1] }
        shared =
            unsortedCount < Self.sharedCountMin
            ? nil
            : SharedSlotSort(
                overlay,
                kinds.map { ($0, ContiguousArray(positions[starts[$0]..<starts[$0 + 1]])) })
    }

    @inline(__always)
    private static func kind(_ slot: Overlay.Slot) -> Int {
        min(Int(slot.prefix.high >> 56), kindCount - 1)
    }

    /// Hands the positions to `body` in the order of the slots' keys, in pieces, and whether keys of a piece may
    /// repeat. Cost: for each kind that is not in order, a pass for each byte in which keys differ.
    func forEachPiece<Failure: Error>(
        _ body: (ContiguousArray<Int32>.SubSequence, _ mayRepeat: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        defer { shared?.end() }
        for kind in 0..<Self.kindCount where starts[kind] < starts[kind + 1] {
            let places = starts[kind]..<starts[kind + 1]
            if isSorted[kind] {
                try body(positions[places], false)
            } else {
                let sorted =
                    shared?.sorted(kind) ?? SharedSlotSort.sort(overlay, positions[places])
                try body(sorted.positions[...], sorted.repeats)
            }
        }
    }
}
