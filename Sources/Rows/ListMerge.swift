/// The list that comes of one that somebody has changed who does not see all of its elements.
struct ListMerge {
    /// An element of the result.
    enum Step: Equatable {
        /// An element of the stored list that is not seen.
        case hidden(Int)
        /// An element of the stored list, which is shown at an index and wanted at another; its value may be another one there.
        case kept(stored: Int, shown: Int, wanted: Int)
        /// An element of the wanted list.
        case new(Int)
    }

    /// Longer runs of changed elements are taken to be replaced one by one: to compare each with each takes too long.
    private static let comparedCountMax = 256

    /// The elements in their order.
    let steps: [Step]

    /// Compares the lists.
    ///
    /// - `storedCount`: How many elements are stored.
    /// - `isHidden`: Whether one of them is not seen; the others are shown, in their order.
    /// - `wantedCount`: How many elements are wanted.
    /// - `isSame`: Whether an element that is shown is the one that is wanted.
    init(
        storedCount: Int, isHidden: (Int) -> Bool, wantedCount: Int,
        isSame: (_ shown: Int, _ wanted: Int) -> Bool
    ) {
        var hidden: [[Int]] = [[]]
        var positions: [Int] = []
        for position in 0..<storedCount {
            if isHidden(position) {
                hidden[hidden.count - 1].append(position)
            } else {
                positions.append(position)
                hidden.append([])
            }
        }
        let pairs = Self.pairs(positions.count, wantedCount, isSame)
        // What follows an element that is shown comes behind it, or behind the last one before it that stays.
        var steps: [Step] = []
        var next = 0
        func takeHidden(before end: Int) {
            while next <= end {
                steps += hidden[next].map { .hidden($0) }
                next += 1
            }
        }
        takeHidden(before: 0)
        for own in 0..<wantedCount {
            guard let index = pairs[own] else {
                steps.append(.new(own))
                continue
            }
            takeHidden(before: index)
            steps.append(.kept(stored: positions[index], shown: index, wanted: own))
            takeHidden(before: index + 1)
        }
        takeHidden(before: positions.count)
        self.steps = steps
    }

    /// For each element that is wanted the one that is shown and stays in its place; both in order.
    private static func pairs(
        _ shownCount: Int, _ wantedCount: Int, _ isSame: (Int, Int) -> Bool
    ) -> [Int?] {
        var pairs = [Int?](repeating: nil, count: wantedCount)
        var start = 0
        while start < min(shownCount, wantedCount), isSame(start, start) {
            pairs[start] = start
            start += 1
        }
        var (shownEnd, wantedEnd) = (shownCount, wantedCount)
        while shownEnd > start, wantedEnd > start, isSame(shownEnd - 1, wantedEnd - 1) {
            (shownEnd, wantedEnd) = (shownEnd - 1, wantedEnd - 1)
            pairs[wantedEnd] = shownEnd
        }
        let (shown, wanted) = (start..<shownEnd, start..<wantedEnd)
        for (index, own) in same(shown, wanted, isSame) + [(shownEnd, wantedEnd)] {
            // Between two that are the same, one is taken to replace the other.
            var from = (start, start)
            if let last = pairs[start..<own].lastIndex(where: { $0 != nil }), let pair = pairs[last]
            {
                from = (pair + 1, last + 1)
            }
            for (before, after) in zip(from.0..<index, from.1..<own) { pairs[after] = before }
            if own < wantedEnd { pairs[own] = index }
        }
        return pairs
    }

    /// A longest sequence of elements that are the same, in order.
    private static func same(
        _ shown: Range<Int>, _ wanted: Range<Int>, _ isSame: (Int, Int) -> Bool
    ) -> [(Int, Int)] {
        guard !shown.isEmpty, !wanted.isEmpty,
            max(shown.count, wanted.count) <= comparedCountMax
        else { return [] }
        let width = wanted.count + 1
        var lengths = [Int](repeating: 0, count: (shown.count + 1) * width)
        for i in shown.indices.reversed() {
            let row = (i - shown.lowerBound) * width
            for j in wanted.indices.reversed() {
                let at = row + j - wanted.lowerBound
                lengths[at] =
                    isSame(i, j)
                    ? lengths[at + width + 1] + 1 : max(lengths[at + width], lengths[at + 1])
            }
        }
        var pairs: [(Int, Int)] = []
        var (i, j) = (0, 0)
        while i < shown.count, j < wanted.count {
            let at = i * width + j
            if isSame(shown.lowerBound + i, wanted.lowerBound + j) {
                pairs.append((shown.lowerBound + i, wanted.lowerBound + j))
                (i, j) = (i + 1, j + 1)
            } else if lengths[at + width] >= lengths[at + 1] {
                i += 1
            } else {
                j += 1
            }
        }
        return pairs
    }
}
