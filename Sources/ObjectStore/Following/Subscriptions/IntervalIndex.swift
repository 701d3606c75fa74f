/// Closed intervals of numbers, found by a number that lies in them.
///
/// An interval tree in arrays: sorted by lower bounds, with the greatest upper bound below each node of the
/// implicit balanced tree (Cormen et al., "Introduction to Algorithms", 14.3). Cost: log n and the hits; n log n once behind
/// additions and removals.
struct IntervalIndex {
    /// An interval and who has it.
    private struct Entry {
        var lower: UInt64
        var upper: UInt64
        var owner: Int32
    }

    private var entries: [Entry] = []
    /// The greatest upper bound of the subtree whose middle stands at the position.
    private var greatest: [UInt64] = []
    /// Whether it can be asked: nothing was added or removed since ``prepare()``.
    private(set) var isReady = true

    /// Whether there are none.
    var isEmpty: Bool { entries.isEmpty }

    /// Enters an interval.
    mutating func add(_ bounds: ClosedRange<UInt64>, _ owner: Int32) {
        entries.append(Entry(lower: bounds.lowerBound, upper: bounds.upperBound, owner: owner))
        isReady = false
    }

    /// Removes an interval of an owner.
    mutating func remove(_ bounds: ClosedRange<UInt64>, _ owner: Int32) {
        let index = entries.firstIndex { entry in
            entry.owner == owner && entry.lower == bounds.lowerBound
                && entry.upper == bounds.upperBound
        }
        guard let index else { return }
        entries.remove(at: index)
        isReady = false
    }

    /// Makes it ready to be asked.
    mutating func prepare() {
        entries.sort { ($0.lower, $0.upper) < ($1.lower, $1.upper) }
        greatest = Array(repeating: 0, count: entries.count)
        _ = measure(0, entries.count)
        isReady = true
    }

    private mutating func measure(_ start: Int, _ end: Int) -> UInt64 {
        if start >= end { return 0 }
        let middle = (start + end) / 2
        let found = max(
            entries[middle].upper, max(measure(start, middle), measure(middle + 1, end)))
        greatest[middle] = found
        return found
    }

    /// Hands over the owners of the intervals that a number lies in.
    func forEach(at number: UInt64, _ body: (Int32) -> Void) {
        _ = visit(0, entries.count, number) { owner in
            body(owner)
            return true
        }
    }

    /// Whether a number lies in any interval.
    func contain(_ number: UInt64) -> Bool { !visit(0, entries.count, number) { _ in false } }

    /// Hands over the owners of the intervals of a subtree that a number lies in, until `body` returns false.
    ///
    /// - Returns: Whether it never did.
    private func visit(
        _ start: Int, _ end: Int, _ number: UInt64, _ body: (Int32) -> Bool
    ) -> Bool {
        var (start, end) = (start, end)
        while start < end {
            let middle = (start + end) / 2
            if greatest[middle] < number { return true }
            let entry = entries[middle]
            if entry.lower > number {
                end = middle
                continue
            }
            guard visit(start, middle, number, body) else { return false }
            if entry.upper >= number, !body(entry.owner) { return false }
            start = middle + 1
        }
        return true
    }
}
