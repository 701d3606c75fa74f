import HoldfastRows

/// Any comparison: two paths with each other, ordered lists, quantifiers on both sides.
final class GeneralNode: MatchNode {
    private let left: ComparedSide
    private let right: ComparedSide
    private let relation: ValueRelation
    /// The comparison as ``ComparedIndex`` is asked for it, and with its sides swapped; nil where it is not.
    private let indexed: (usual: Relation, swapped: Relation)?
    /// Whether kinds are compared, which equal each other when they overlap.
    private let areKinds: Bool
    private let bound: BoundSource
    /// Of a side that the query states, which stays what it is from object to object.
    private var constantIndex: (side: ComparedSide, index: ComparedIndex)?

    /// So many pairs of values are compared one by one.
    private static let pairCountMax = 64

    init(
        _ left: ComparedSide, _ relation: Relation, _ right: ComparedSide, areKinds: Bool,
        _ bound: BoundSource
    ) {
        self.areKinds = areKinds
        self.bound = bound
        self.left = left
        self.right = right
        self.relation = ValueRelation(relation)
        let isList =
            left.isMany && right.isMany && left.quantifier == nil && right.quantifier == nil
        if !areKinds, !isList, let comparison = relation.comparison.swapped {
            var swapped = relation
            swapped.comparison = comparison
            indexed = (relation, swapped)
        } else {
            indexed = nil
        }
    }

    override var cost: Int { 300 }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        holds { $0.walk(row, key, source, $1) }
    }

    override func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool {
        let bytes = value.map { UnsafeRawBufferPointer(start: $0, count: count) }
        return holds { $0.walk(value: bytes, bound.source, $1) }
    }

    private func holds(_ walk: (PathWalker, ValueSink) -> Void) -> Bool {
        let budget = bound.budget
        guard left.read(walk, within: budget), right.read(walk, within: budget) else {
            return false
        }
        // The side with fewer values is looked up in the other, where that asks the same.
        let swaps = left.valueCount > right.valueCount && isSymmetric
        let (one, other) = swaps ? (right, left) : (left, right)
        for b in 0..<other.groupCount {
            let group = other.group(b)
            guard let relation = swaps ? indexed?.swapped : indexed?.usual,
                one.valueCount.multipliedReportingOverflow(by: group.count).partialValue
                    > Self.pairCountMax
            else {
                for a in 0..<one.groupCount {
                    guard budget.spend() else { return false }
                    let isMatch =
                        swaps ? matches(group, one.group(a)) : matches(one.group(a), group)
                    if isMatch { return true }
                }
                continue
            }
            guard let index = index(of: other, group, relation) else { return false }
            for a in 0..<one.groupCount {
                guard budget.spend() else { return false }
                if matches(one, one.group(a), index, swaps) { return true }
            }
        }
        return false
    }

    /// Whether the sides may be swapped: both ask for one value, or both for all.
    private var isSymmetric: Bool {
        switch (left.quantifier ?? .any, right.quantifier ?? .any) {
        case (.any, .any), (.all, .all), (.none, .any): indexed != nil
        default: false
        }
    }

    private func index(
        of side: ComparedSide, _ group: Range<Int>, _ relation: Relation
    ) -> ComparedIndex? {
        if let constantIndex, constantIndex.side === side { return constantIndex.index }
        let index = ComparedIndex(relation, bound)
        for position in group where !index.add(side.value(position)) { return nil }
        if side.isFixed { constantIndex = (side, index) }
        return index
    }

    /// Whether the values of a group compare with the index's as the quantifiers say.
    private func matches(
        _ side: ComparedSide, _ group: Range<Int>, _ index: ComparedIndex, _ swaps: Bool
    ) -> Bool {
        let budget = bound.budget
        let outer = left.quantifier ?? .any
        guard swaps else {
            return outer.holds(of: group, within: budget) {
                index.holds(right.quantifier ?? .any, side.value($0))
            }
        }
        // NONE of the left with one of the right means that no pair matches.
        let isNone = outer == .none
        let inner: Quantifier = isNone ? .any : outer
        let isMatch = inner.holds(of: group, within: budget) { index.holds(inner, side.value($0)) }
        return isMatch != isNone
    }

    private func holds(_ a: Int, _ b: Int) -> Bool {
        let value = left.value(a)
        if areKinds {
            return KindSet.overlap(value, right.value(b)) == (relation.comparison == .equal)
        }
        // A null that stands in the query contains nothing, not even null.
        if left.isConstant, value.storage == nil, relation.comparison.isTextual,
            relation.comparison != .like
        {
            return false
        }
        let other = right.value(b)
        // Texts are searched through.
        let byteCount = value.bytes.count + other.bytes.count
        if byteCount >= 64, !bound.budget.spend(byteCount >> 6) { return false }
        return relation.holds(value, other, within: bound.budget)
    }

    private func matches(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        let budget = bound.budget
        if left.isMany, right.isMany, left.quantifier == nil, right.quantifier == nil {
            guard a.count == b.count else { return relation.comparison == .notEqual }
            return Quantifier.all.holds(of: zip(a, b), within: budget) { holds($0, $1) }
        }
        return (left.quantifier ?? .any).holds(of: a, within: budget) { l in
            (right.quantifier ?? .any).holds(of: b, within: budget) { r in holds(l, r) }
        }
    }
}
