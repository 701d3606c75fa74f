import Bytes
import Rows

extension ColumnAggregation {
    /// The key of the first object of each group, rising.
    package var firstKeys: [UInt64] { keys.sorted() }

    /// The first groups of a page in their order, or all in whatever order.
    ///
    /// - `byteCountMax`: Memory for them.
    /// - Returns: Nil when there is too little memory, or the budget has failed.
    package func finish(
        _ page: GroupPage, byteCountMax: Int, within budget: Budget
    ) -> [Aggregation.Group]? {
        var left = byteCountMax - byteCount
        guard !coders.isEmpty else {
            let isReady = settle(byteCountMax: left, within: budget)
            return isReady ? [makeGroup(0, [])] : nil
        }
        var values: [CodedValues?] = []
        for coder in coders {
            var own: CodedValues?
            if coder.hasEqualValues {
                own = CodedValues(coder, byteCountMax: left, within: budget)
                if own == nil { return nil }
            }
            left -= own?.byteCount ?? 0
            values.append(own)
        }
        // Of one coder alone the groups are its codes.
        var codes: [UInt32] = []
        var whole = self
        if values.contains(where: { $0?.hasEqual ?? false }) {
            left -= byteCount
            if left < 0 { return nil }
            (whole, codes) = joined(values)
        } else if coders.count > 1 {
            codes = allCodes()
        }
        left -= codes.count * 4
        let before = whole.byteCount
        guard whole.settle(byteCountMax: left, within: budget) else { return nil }
        left -= whole.byteCount - before
        let order = CodeOrder(coders, values, codes: codes)
        let groupByteCount = Aggregation.byteCount(ofGroup: 0, operationCount: operations.count)
        let first = whole.first(of: page, order, within: budget)
        guard let first, first.count * groupByteCount <= left else { return nil }
        var groups: [Aggregation.Group] = []
        for group in first {
            if !budget.spend(Self.stepsOfGroup) { return nil }
            groups.append(whole.makeGroup(group, order.bytes(of: group)))
        }
        return groups
    }

    private static let stepsOfGroup = 16

    private func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        let before = byteCount
        guard byteCountMax >= 0 else { return false }
        return accumulators.allSatisfy { accumulator in
            accumulator.settle(
                byteCountMax: byteCountMax - (byteCount - before),
                within: budget)
        }
    }

    /// The numbers of the first groups of a page, or of all where more has to be known of them.
    private func first(
        of page: GroupPage, _ order: CodeOrder, within budget: Budget
    ) -> [Int]? {
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
            if !budget.spend() { return nil }
            if selection.needsAll {
                let holds = try? isWanted(group, page, order)
                // Who makes all groups finds the figure without a value again.
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
            guard try condition.holds(of: makeGroup(group, [])) else {
                return false
            }
        }
        guard let after = page.after else { return true }
        let made = makeGroup(group, order.bytes(of: group))
        let position = try page.selection.position(of: made)
        return position.withUnsafeBytes { own in after.withUnsafeBytes { compareKeys(own, $0) > 0 }
        }
    }

    /// The groups with those joined whose values are equal, and their codes as of ``allCodes()``.
    private func joined(_ values: [CodedValues?]) -> (whole: ColumnAggregation, codes: [UInt32]) {
        let whole = makePart()
        let table = CodeTable()
        let width = coders.count
        let codes = allCodes()
        var firsts: [UInt32] = []
        let groups = counts.indices.map { group in
            let own = codes[group * width..<(group + 1) * width]
            let code = whole.group(of: keys[group]) { index in
                let code = own[own.startIndex + index]
                let first = values[index]?.firstEqual(to: Int(code)) ?? code
                return index == 0 ? table.code(of: Int64(first)) : first
            }
            if Int(code) * width == firsts.count { firsts += own }
            return code
        }
        whole.add(self, to: groups)
        return (whole, firsts)
    }

    private func makeGroup(_ group: Int, _ sortBytes: [UInt8]) -> Aggregation.Group {
        Aggregation.Group(
            sortBytes: sortBytes, key: keys[group], count: counts[group],
            states: operations.compactMap { operation in
                accumulators[operation.accumulator].state(
                    operation.kind, of: group)
            })
    }
}
