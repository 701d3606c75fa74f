import Bytes

extension ColumnAggregation {
    /// The key of the first object of each group, rising.
    package var firstKeys: [UInt64] { keys.sorted() }

    /// The first groups of a page in their order, or all in whatever order.
    ///
    /// - `byteCountMax`: Memory for them.
    /// - `isInTime`: Asked now and then.
    /// - Returns: Nil when there is too little memory or time.
    package func finish(
        _ page: GroupPage, byteCountMax: Int, isInTime: () -> Bool
    ) -> [Aggregation.Group]? {
        var left = byteCountMax - byteCount
        guard !coders.isEmpty else {
            let isReady = settle(byteCountMax: left, isInTime: isInTime)
            return isReady ? [makeGroup(0, [])] : nil
        }
        var values: [CodedValues?] = []
        for coder in coders {
            var own: CodedValues?
            if coder.hasEqualValues {
                own = CodedValues(coder, byteCountMax: left, goesOn: isInTime)
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
        guard whole.settle(byteCountMax: left, isInTime: isInTime) else { return nil }
        left -= whole.byteCount - before
        let order = CodeOrder(coders, values, codes: codes)
        let groupByteCount = Aggregation.byteCount(ofGroup: 0, operationCount: operations.count)
        let first = whole.first(of: page, order, isInTime: isInTime)
        guard let first, first.count * groupByteCount <= left else { return nil }
        var groups: [Aggregation.Group] = []
        for group in first {
            if groups.count.isMultiple(of: Self.groupsUnseen), !isInTime() { return nil }
            groups.append(whole.makeGroup(group, order.bytes(of: group)))
        }
        return groups
    }

    /// So many groups are looked at between two looks at the time.
    private static let groupsUnseen = 64

    /// Finds where the page ends that is wanted, now and then as groups come.
    func lowerCeiling() {
        guard let ceiling, ceiling.isWorthLooking(groupCount),
            groupCount * coders.count * MemoryLayout<UInt32>.size <= byteCountMax - byteCount
        else { return }
        let codes = coders.count > 1 ? allCodes() : []
        let order = CodeOrder(coders, coders.map { _ in nil }, codes: codes)
        guard let first = first(of: ceiling.page, order, isInTime: { true }),
            first.count == ceiling.page.countMax, let last = first.last
        else { return }
        ceiling.lower(to: order.firstBytes(of: last))
    }

    private func settle(byteCountMax: Int, isInTime: () -> Bool) -> Bool {
        let before = byteCount
        guard byteCountMax >= 0 else { return false }
        return accumulators.allSatisfy { accumulator in
            accumulator.settle(
                byteCountMax: byteCountMax - (byteCount - before),
                isInTime: isInTime)
        }
    }

    /// The numbers of the first groups of a page, or of all where more has to be known of them.
    private func first(
        of page: GroupPage, _ order: CodeOrder, isInTime: () -> Bool
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
            if group.isMultiple(of: Self.groupsUnseen), !isInTime() { return nil }
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
        return heap.sorted(isBefore)
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
