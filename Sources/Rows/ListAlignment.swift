import HoldfastBytes

/// The assignment of a changed list's elements to the elements of the list that was shown.
///
/// Equal elements are assigned to each other, at any position. Other elements between two assigned ones that kept their order are
/// paired by similarity, otherwise one by one. Cost: n log n in the elements from the first to the last difference.
struct ListAlignment {
    /// The maximum number of pairs of changed elements that are compared in total. Beyond it, elements are paired one by one,
    /// since comparing all pairs takes too long.
    private static let comparedCountMax = 1 << 13

    private typealias Pair = (former: Int, wanted: Int)

    /// The former index of each wanted element; nil for a new one.
    private(set) var former: [Int?]
    /// The wanted elements that have moved relative to the elements that stay in order.
    private(set) var moved: Set<Int> = []

    init(_ shown: ComparedList, _ wanted: ComparedList) {
        former = [Int?](repeating: nil, count: wanted.count)
        func isSame(_ index: Int, _ own: Int) -> Bool {
            compareKeys(shown.bytes(index), wanted.bytes(own)) == 0
        }
        var start = 0
        while start < min(shown.count, wanted.count), isSame(start, start) {
            former[start] = start
            start += 1
        }
        var (shownEnd, wantedEnd) = (shown.count, wanted.count)
        while shownEnd > start, wantedEnd > start, isSame(shownEnd - 1, wantedEnd - 1) {
            (shownEnd, wantedEnd) = (shownEnd - 1, wantedEnd - 1)
            former[wantedEnd] = shownEnd
        }
        if start == shownEnd || start == wantedEnd { return }

        let same = Self.same(shown, start..<shownEnd, wanted, start..<wantedEnd)
        for pair in same { former[pair.wanted] = pair.former }
        let taken = Set(same.map(\.former))
        let staying = Self.inOrder(same)
        moved = Set(same.map(\.wanted)).subtracting(staying.map(\.wanted))
        var from: Pair = (start, start)
        var comparedCount = 0
        for end in staying + [(shownEnd, wantedEnd)] {
            let left = (from.former..<end.former).filter { !taken.contains($0) }
            let new = (from.wanted..<end.wanted).filter { former[$0] == nil }
            comparedCount += left.count * new.count
            let pairs: [Pair] =
                left.count + new.count > 2 && comparedCount <= Self.comparedCountMax
                ? Self.closest(shown, left, wanted, new) : zip(left, new).map { ($0, $1) }
            for pair in pairs { former[pair.wanted] = pair.former }
            from = (end.former + 1, end.wanted + 1)
        }
    }

    /// Takes the former positions of edited elements as given. Of the other elements, the ones that equal a removed element count
    /// as moved.
    ///
    /// - `formers`: The former index of each wanted element, in their order; nil for an inserted one.
    init(_ shown: ComparedList, _ wanted: ComparedList, formers: [Int?]) {
        former = formers
        let staying = Set(formers.compactMap(\.self))
        var left: [Set<Int>: ArraySlice<Int>] = [:]
        for index in 0..<shown.count where !staying.contains(index) {
            left[shown.parts(index), default: []].append(index)
        }
        if left.isEmpty { return }
        for own in formers.indices where formers[own] == nil {
            guard let index = left[wanted.parts(own)]?.popFirst() else { continue }
            former[own] = index
            moved.insert(own)
        }
    }

    /// Finds the equal elements, in the order of the wanted list. Among equal elements, the next one after the previous match is
    /// taken.
    private static func same(
        _ shown: ComparedList, _ formerRange: Range<Int>, _ wanted: ComparedList,
        _ wantedRange: Range<Int>
    ) -> [Pair] {
        var places: [Set<Int>: (ahead: ArraySlice<Int>, behind: ArraySlice<Int>)] = [:]
        for index in formerRange {
            places[shown.parts(index), default: ([], [])].ahead.append(index)
        }
        var pairs: [Pair] = []
        var last = formerRange.lowerBound
        for own in wantedRange {
            let parts = wanted.parts(own)
            // Removed from the dictionary, so that it is changed without a copy.
            guard var equal = places.removeValue(forKey: parts) else { continue }
            while let first = equal.ahead.first, first < last {
                equal.behind.append(equal.ahead.removeFirst())
            }
            if let index = equal.ahead.popFirst() ?? equal.behind.popFirst() {
                pairs.append((index, own))
                last = index
            }
            places[parts] = equal
        }
        return pairs
    }

    /// The longest sequence of pairs that are in the same order in both lists.
    private static func inOrder(_ pairs: [Pair]) -> [Pair] {
        // For each length, the last pair of the sequence that ends at the lowest element.
        var ends: [Int] = []
        var before: [Int?] = []
        for (position, pair) in pairs.enumerated() {
            let low = partitionPoint(ends.count) { pairs[ends[$0]].former < pair.former }
            before.append(low > 0 ? ends[low - 1] : nil)
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var sequence: [Pair] = []
        var next = ends.last
        while let position = next {
            sequence.append(pairs[position])
            next = before[position]
        }
        return sequence.reversed()
    }

    /// Pairs elements of two runs in their order, so that they have the most in common.
    private static func closest(
        _ shown: ComparedList, _ former: [Int], _ wanted: ComparedList, _ own: [Int]
    ) -> [Pair] {
        let parts = own.map(wanted.parts)
        let common = former.map { index in
            let seen = shown.parts(index)
            return parts.map { 1 + $0.intersection(seen).count }
        }
        // The most that can be reached from two positions on.
        var most = [[Int]](
            repeating: [Int](repeating: 0, count: own.count + 1), count: former.count + 1)
        for i in former.indices.reversed() {
            for j in own.indices.reversed() {
                most[i][j] = max(most[i + 1][j + 1] + common[i][j], most[i + 1][j], most[i][j + 1])
            }
        }
        var pairs: [Pair] = []
        var (i, j) = (0, 0)
        while i < former.count, j < own.count {
            if most[i][j] == most[i + 1][j + 1] + common[i][j] {
                pairs.append((former[i], own[j]))
                (i, j) = (i + 1, j + 1)
            } else if most[i][j] == most[i + 1][j] {
                i += 1
            } else {
                j += 1
            }
        }
        return pairs
    }
}
