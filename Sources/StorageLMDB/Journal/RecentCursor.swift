import HoldfastBytes
import HoldfastStorage

/// Visits the last changes of a range in the order of their keys, or backwards.
///
/// The runs are in a binary heap by their next key. Cost: a few comparisons of keys for each change.
struct RecentCursor {
    private struct Head {
        let run: ChangeRun
        /// The age rank of the run: a newer run has a greater one.
        let rank: Int
        /// The position of the run's next change.
        var position: Int
        /// The position at which the range ends.
        let end: Int
    }

    /// The runs that have a change ahead, as a heap: the run at half an index does not come after the run at the index.
    private var heads: [Head] = []
    private let step: Int
    /// The change ahead; nil at the end of the range.
    private(set) var change: ChangeRun.Change?

    /// Creates a cursor at the first change of `range`, or the last if reversed; nil if there is no change.
    init?(_ recent: RecentChanges, _ range: KeyRange, reversed: Bool) {
        step = reversed ? -1 : 1
        add(recent.active, range, rank: recent.frozen.count + recent.active.count)
        add(recent.frozen, range, rank: recent.frozen.count)
        guard !heads.isEmpty else { return nil }
        start()
    }

    /// Creates a cursor at the first change of all `runs`, which are in the order newest first.
    init(_ runs: [ChangeRun]) {
        step = 1
        add(runs, KeyRange(lower: [], upper: nil), rank: runs.count)
        start()
    }

    private mutating func start() {
        for index in stride(from: heads.count / 2 - 1, through: 0, by: -1) { sink(index) }
        advance()
    }

    private mutating func add(_ runs: [ChangeRun], _ range: KeyRange, rank: Int) {
        for (index, run) in runs.enumerated() {
            let lower = range.lower.withUnsafeBytes { run.firstPosition(notBelow: $0) }
            let upper =
                range.upper.map { upper in upper.withUnsafeBytes { run.firstPosition(notBelow: $0) }
                } ?? run.count
            guard lower < upper else { continue }
            heads.append(
                Head(
                    run: run, rank: rank - index, position: step > 0 ? lower : upper - 1,
                    end: step > 0 ? upper : lower - 1))
        }
    }

    /// Moves to the last change of the next key.
    mutating func advance() {
        guard let first = heads.first else {
            change = nil
            return
        }
        let next = first.run[first.position]
        change = next
        pass()
        // Older runs may have changed the key as well.
        while let head = heads.first,
            compareKeys(head.run[head.position].keyBytes, next.keyBytes) == 0
        {
            pass()
        }
    }

    /// Moves to the next change of the first run.
    private mutating func pass() {
        heads[0].position += step
        if heads[0].position == heads[0].end {
            heads.swapAt(0, heads.count - 1)
            heads.removeLast()
        }
        sink(0)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            let right = left + 1
            var first = index
            if left < heads.count, precedes(left, first) { first = left }
            if right < heads.count, precedes(right, first) { first = right }
            if first == index { return }
            heads.swapAt(index, first)
            index = first
        }
    }

    /// Whether one run's next change comes before another's: by key, and the newer run first for equal keys.
    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let order = compareKeys(
            heads[left].run[heads[left].position].keyBytes,
            heads[right].run[heads[right].position].keyBytes)
        return order == 0 ? heads[left].rank > heads[right].rank : order * step < 0
    }
}
