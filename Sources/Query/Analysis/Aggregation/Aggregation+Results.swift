import HoldfastBytes
import HoldfastRows

extension Aggregation {
    /// The one property of the class that groups are made by and how many are wanted, where objects are counted only.
    package var countedOnly: (member: Int, after: [UInt8]?, countMax: Int)? {
        let (by, page) = (question.by, question.page.beforehand)
        guard let countMax = page.countMax, operations.isEmpty, by.count == 1, by[0].part == .value,
            let member = by[0].path.ownMember
        else { return nil }
        return (member, page.after, countMax)
    }

    /// The groups after all objects were added: the first ones of the page in their order, or all in any order if more
    /// has to be known of them.
    ///
    /// - Returns: Nil when there is too little memory or time.
    package func finish(within budget: Budget) -> [Group]? {
        addRows(within: budget)
        guard !isFull else { return nil }
        var left = byteCountMax - byteCount
        guard settle(byteCountMax: left, within: budget) else { return nil }
        left = byteCountMax - byteCount
        guard !encoders.isEmpty else { return [makeGroup(0, [])] }
        let order = order
        guard let first = first(of: question.page, order, within: budget),
            first.count * Self.byteCount(ofGroupWith: operations.count) <= left
        else { return nil }
        var groups: [Group] = []
        for group in first {
            guard budget.spend(Self.stepsOfGroup) else { return nil }
            groups.append(makeGroup(group, order.bytes(of: group)))
        }
        return groups
    }

    /// The memory of a group of a result, without its values.
    private static func byteCount(ofGroupWith operationCount: Int) -> Int {
        160 + 160 * operationCount
    }

    /// A look at a group takes so many steps.
    private static let stepsOfGroup = 16

    private func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        let before = byteCount
        return accumulators.allSatisfy { accumulator in
            accumulator.totals.settle(
                byteCountMax: byteCountMax - (byteCount - before), within: budget)
        }
    }

    /// The numbers of the first groups of a page, or of all where more has to be known of them.
    func first(of page: GroupPage, _ order: CodeOrder, within budget: Budget) -> [Int]? {
        let selection = page.selection
        let isAscending = selection.order?.isByCountAscending
        guard let countMax = page.countMax, selection.order == nil || isAscending != nil else {
            return Array(counts.indices)
        }
        func isBefore(_ a: Int, _ b: Int) -> Bool {
            guard let isAscending, counts[a] != counts[b] else { return order.isBefore(a, b) }
            return (counts[a] < counts[b]) == isAscending
        }
        var heap = BoundedHeap<Int>(countMax: countMax)
        for group in counts.indices {
            guard budget.spend(Self.stepsOfGroup) else { return nil }
            if selection.needsAll {
                let holds = try? isWanted(group, page, order)
                // The code that makes all groups finds the figure without a value again.
                guard let holds else { return Array(counts.indices) }
                if !holds { continue }
            } else if let after = page.after, !order.isBehind(group, after) {
                continue
            }
            _ = heap.insert(group, isBefore: isBefore)
        }
        return heap.sorted(within: budget, isBefore)
    }

    /// Whether a group satisfies the condition of a page and comes behind its position.
    private func isWanted(
        _ group: Int, _ page: GroupPage, _ order: CodeOrder
    ) throws(GroupFigure.Overflow) -> Bool {
        if let condition = page.selection.condition {
            guard try condition.holds(of: makeGroup(group, [])) else { return false }
        }
        guard let after = page.after else { return true }
        let made = makeGroup(group, order.bytes(of: group))
        let position = try page.selection.position(of: made)
        return position.withUnsafeBytes { own in after.withUnsafeBytes { compareKeys(own, $0) > 0 }
        }
    }

    private func makeGroup(_ group: Int, _ sortBytes: [UInt8]) -> Group {
        Group(
            sortBytes: sortBytes, key: keys[group], count: counts[group],
            results: operations.map { operation in
                accumulators[operation.accumulator].totals.result(operation.kind, of: group)
            })
    }
}

/// Some of the groups in an order: so many, behind a position.
package struct GroupPage {
    /// Which groups there are, and their order.
    package let selection: GroupSelection
    /// The ``GroupSelection/position(of:)`` that only later groups are wanted of; nil for all.
    package let after: [UInt8]?
    /// How many are wanted; nil for all.
    package let countMax: Int?

    /// Makes a page.
    package init(of selection: GroupSelection = GroupSelection(), after: [UInt8]?, countMax: Int?) {
        self.selection = selection
        self.after = after
        self.countMax = countMax
    }

    /// The part that is known before all groups are: the groups after its position in the order of values, as many as are wanted,
    /// or all.
    var beforehand: GroupPage { selection.needsAll ? GroupPage(after: nil, countMax: nil) : self }
}
