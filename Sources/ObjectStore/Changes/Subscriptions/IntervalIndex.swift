import HoldfastBytes

/// Closed intervals of numbers, found by a number that lies in them.
///
/// An interval tree in arrays: sorted by lower bounds, with the greatest upper bound below each node of the implicit balanced
/// tree (Cormen et al., "Introduction to Algorithms", 14.3). Intervals that were added later are in a separate list, until that
/// is a sixteenth. Cost: log n and the hits; an addition or removal 16 log n on average.
///
/// Benchmark row: `filters`.
struct IntervalIndex {
    /// An interval and its owner.
    private struct Entry {
        var lower: UInt64
        var upper: UInt64
        /// Negative once it is removed.
        var owner: Int32
    }

    private var sorted: [Entry] = []
    /// The greatest upper bound of the subtree with its middle at the position.
    private var greatest: [UInt64] = []
    private var fresh: [Entry] = []
    private var removedCount = 0

    var isEmpty: Bool { sorted.count == removedCount && fresh.isEmpty }

    mutating func add(_ bounds: ClosedRange<UInt64>, _ owner: Int32) {
        fresh.append(Entry(lower: bounds.lowerBound, upper: bounds.upperBound, owner: owner))
        if fresh.count > 32 + sorted.count / 16 { rebuild() }
    }

    mutating func remove(_ bounds: ClosedRange<UInt64>, _ owner: Int32) {
        func isMeant(_ entry: Entry) -> Bool {
            entry.owner == owner && entry.lower == bounds.lowerBound
                && entry.upper == bounds.upperBound
        }
        if let index = fresh.firstIndex(where: isMeant) {
            fresh.remove(at: index)
            return
        }
        var index = partitionPoint(sorted.count) { sorted[$0].lower < bounds.lowerBound }
        while index < sorted.count, sorted[index].lower == bounds.lowerBound {
            if isMeant(sorted[index]) {
                sorted[index].owner = -1
                removedCount += 1
                if removedCount > 32 + sorted.count / 4 { rebuild() }
                return
            }
            index += 1
        }
    }

    /// Passes on the owners of the intervals that a number lies in, until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    func forEach(at number: UInt64, _ body: (Int32) -> Bool) -> Bool {
        fresh.allSatisfy { number < $0.lower || $0.upper < number || body($0.owner) }
            && visit(0, sorted.count, number, body)
    }

    /// Passes on the owners of a subtree's intervals that a number lies in, until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    private func visit(
        _ start: Int, _ end: Int, _ number: UInt64, _ body: (Int32) -> Bool
    ) -> Bool {
        var (start, end) = (start, end)
        while start < end {
            let middle = (start + end) / 2
            if greatest[middle] < number { return true }
            let entry = sorted[middle]
            if entry.lower > number {
                end = middle
                continue
            }
            guard visit(start, middle, number, body) else { return false }
            if entry.upper >= number, entry.owner >= 0, !body(entry.owner) { return false }
            start = middle + 1
        }
        return true
    }

    private mutating func rebuild() {
        sorted.removeAll { $0.owner < 0 }
        removedCount = 0
        sorted += fresh
        fresh = []
        sorted.sort { ($0.lower, $0.upper) < ($1.lower, $1.upper) }
        greatest = Array(repeating: 0, count: sorted.count)
        _ = measure(0, sorted.count)
    }

    private mutating func measure(_ start: Int, _ end: Int) -> UInt64 {
        if start >= end { return 0 }
        let middle = (start + end) / 2
        let found = max(sorted[middle].upper, max(measure(start, middle), measure(middle + 1, end)))
        greatest[middle] = found
        return found
    }
}
