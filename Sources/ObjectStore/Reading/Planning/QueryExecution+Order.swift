import HoldfastQuery
import HoldfastRows
import HoldfastStorage

extension QueryExecution {
    // MARK: In the order of the entries

    /// Walks entries that stand in the wanted order.
    ///
    /// Long strings are cut in entries: where several objects share a cut value, their entries are
    /// collected and ordered by their rows.
    func walk(reversed: Bool, _ body: (UInt64, RowView) -> Bool) throws(StoreError) {
        // Without a sort there is one value, and its entries stand in the order of object keys.
        let mayBeCut = !query.sort.isEmpty
        let first = mayBeCut ? 0 : after?.key ?? 0
        var skipping = mayBeCut ? after : nil
        var run: [(key: UInt64, row: RowView)] = []
        var runPrefix: [UInt8] = []
        let runCountMax = limits.memoryByteCountMax / MemoryLayout<(UInt64, RowView)>.stride
        func emitRun() -> Bool {
            defer { run.removeAll(keepingCapacity: true) }
            let sorted = run.sorted(within: transaction.budget) { a, b in
                let result = order.compareByRows(a, b)
                return result == 0 ? a.key < b.key : result < 0
            }
            guard let sorted else { return false }
            for (key, row) in sorted {
                if let position = skipping, !order.comesAfter(key, row, position) { continue }
                if !body(key, row) { return false }
            }
            return true
        }
        var goesOn = true
        try forEachEntry(reversed: reversed) { (value, key) throws(StoreError) in
            guard key > first else { return true }
            let isCut = mayBeCut && Self.isCut(value)
            if !run.isEmpty, !isCut || !value.starts(with: runPrefix) {
                goesOn = emitRun()
                if !goesOn { return false }
            }
            // Texts that share a cut beginning have no order yet: they are read to their end.
            if run.isEmpty {
                goesOn = pays(QueryCost.entry + testCost + (mayBeCut ? lookUp.any : lookUp.rising))
                if !goesOn { return false }
            }
            let shown = transaction.shownMark
            var isKept = false
            defer { if !isKept { transaction.releaseShown(to: shown) } }
            guard let row = try fetch(key), testPaying(key, row) else { return true }
            if isCut {
                // Without its mark and hash.
                if run.isEmpty { runPrefix = Array(value.dropLast(18)) }
                guard run.count < runCountMax else { throw .stopped(.memory) }
                run.append((key, row))
                isKept = true
                return true
            }
            if let position = skipping {
                guard order.comesAfter(key, row, position) else { return true }
                // All that follows comes behind the position as well.
                skipping = nil
            }
            goesOn = body(key, row)
            return goesOn
        }
        if goesOn, !run.isEmpty { _ = emitRun() }
    }

    /// Whether the value of an entry was cut.
    static func isCut(_ value: UnsafeRawBufferPointer) -> Bool {
        value.count > OrderedKey.textByteCountMax
            && OrderedKey.isCut(UnsafeRawBufferPointer(rebasing: value[5...]))
    }

    // MARK: By object key

    /// Hands over the objects of several values, or of a range, in the order of their object keys.
    ///
    /// - `limit`: The most objects that will be taken.
    func collectKeys(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(StoreError) {
        if plan.keys == nil, case .index(let member, let values)? = plan.source,
            member != rowClass.primaryKeyIndex, values.allSatisfy(\.isSingleValue)
        {
            let ranges = values.map { rowClass.entries(of: member, in: $0) }
            return try mergeValues(ranges, limit: limit, body)
        }
        let first = after?.key ?? 0
        let keys = try collectedKeys(page: (first, limit)) ?? []
        if isTooExpensive { return }
        let start = keys.firstPosition { $0 > first }
        _ = try visit(keys[start...], cost: lookUp.rising + testCost, body)
    }

    /// Merges ranges of one value each, with entries in the order of object keys: takes some entries of each, hands over the
    /// entries up to the point where all are complete, and continues there.
    private func mergeValues(
        _ ranges: [KeyRange], limit: Int, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) {
        let stepCount = max(16, min(limit, 1024))
        let keyCountMax = limits.memoryByteCountMax / MemoryLayout<UInt64>.stride
        var left = ranges
        var position = after?.key ?? 0
        while !left.isEmpty {
            var keys: [UInt64] = []
            var end = UInt64.max
            var unfinished: [KeyRange] = []
            for range in left {
                let countBefore = keys.count
                _ = try scanEntries(range.resumed(after: position)) { (_, key) throws(StoreError) in
                    guard keys.count < keyCountMax else { throw .stopped(.memory) }
                    keys.append(key)
                    return keys.count - countBefore < stepCount
                }
                if keys.count > countBefore { unfinished.append(range) }
                if keys.count - countBefore == stepCount, let last = keys.last {
                    end = min(end, last)
                }
            }
            keys = try transaction.budget.sorted(keys, by: <)
            let complete = keys.prefix { $0 <= end }
            guard try visit(complete, cost: lookUp.rising + testCost, body), end < .max else {
                return
            }
            position = end
            left = unfinished
        }
    }

    /// Reads the rows of keys in order; false when no more are wanted.
    ///
    /// - `cost`: The cost of each of them, as far as it is not paid yet.
    func visit(
        _ keys: ArraySlice<UInt64>, cost: Int, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) -> Bool {
        for key in keys {
            try transaction.budget.require()
            guard pays(cost) else { return false }
            let shown = transaction.shownMark
            defer { transaction.releaseShown(to: shown) }
            guard let row = try fetch(key), test(key, row) else { continue }
            if !body(key, row) { return false }
        }
        return true
    }
}
