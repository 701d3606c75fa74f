import Bytes
import Query
import Rows
import Storage

extension QueryExecution {
    // MARK: In the order of the entries

    /// Walks entries that stand in the wanted order.
    ///
    /// Long strings are cut in entries: where several objects share a cut value, their entries are
    /// collected and ordered by their rows.
    func walk(reversed: Bool, _ body: (UInt64, RowView) -> Bool) throws(Failure) {
        let prefix = EntryRange.prefix(plan.access, rowClass)
        var ranges = EntryRange.ranges(plan.access, rowClass)
        var rest: KeyRange?
        var skipping: QueryPosition?
        // Primary keys have no object keys behind them.
        let first = isPrimaryAccess && query.sort.isEmpty ? after?.key ?? 0 : 0
        if let after {
            if query.sort.isEmpty {
                // One value, ordered by object key: go on behind the key.
                if !isPrimaryAccess {
                    ranges = ranges.map { EntryRange.resume($0, after: after.key) }
                }
            } else {
                rest = resume(&ranges, prefix, after, reversed: reversed)
                skipping = after
            }
        }
        var run: [(key: UInt64, row: RowView)] = []
        var runPrefix: [UInt8] = []
        let runCountMax = limits.memoryByteCountMax / MemoryLayout<(UInt64, RowView)>.stride
        // Without a sort there is one value, and its entries stand in the order of object keys.
        let mayBeCut = !query.sort.isEmpty
        func emitRun() throws(Failure) -> Bool {
            defer { run.removeAll(keepingCapacity: true) }
            sortByRows(&run)
            for (key, row) in run {
                if let position = skipping, !order.comesAfter(key, row, position) { continue }
                if !body(key, row) { return false }
            }
            return true
        }
        var goesOn = true
        try forEachEntry(ranges, behind: rest, reversed: reversed) { (entry, key) throws(Failure) in
            guard key > first else { return true }
            let isCut = mayBeCut && isCut(entry)
            if !run.isEmpty, !isCut || !hasPrefix(entry, runPrefix) {
                goesOn = try emitRun()
                if !goesOn { return false }
            }
            // Texts that share a cut beginning have no order yet: they are read to their end.
            if run.isEmpty {
                goesOn = pays(
                    QueryCost.entry + testCost + (mayBeCut ? lookUp.any : lookUp.rising))
                if !goesOn { return false }
            }
            guard let row = try fetch(key), testPaying(key, row) else { return true }
            if isCut {
                if run.isEmpty { runPrefix = Array(entry[..<cutOffset(entry)]) }
                guard run.count < runCountMax else { throw .memory }
                run.append((key, row))
                return true
            }
            if let position = skipping {
                if !order.comesAfter(key, row, position) { return true }
                // All that follows comes behind the position as well.
                skipping = nil
            }
            goesOn = body(key, row)
            return goesOn
        }
        if goesOn, !run.isEmpty { _ = try emitRun() }
    }

    /// Moves the ranges behind a position, as far as entries tell; objects up to the position that are left are to
    /// be skipped.
    ///
    /// - Returns: Backwards what is left of the position's own value, which comes before the ranges.
    func resume(
        _ ranges: inout [KeyRange], _ prefix: [UInt8], _ after: QueryPosition, reversed: Bool
    ) -> KeyRange? {
        var value = reversed ? after.sortBytes.map { ~$0 } : after.sortBytes
        let isCut = value.withUnsafeBytes { OrderedKey.isCut($0) }
        if isCut { value.removeLast(18) }
        let hasObjectKeys = !isPrimaryAccess && !isCut
        let bound = prefix + value
        guard reversed else {
            let lower = hasObjectKeys ? EntryRange.bound(bound, behind: after.key) : bound
            ranges = ranges.compactMap { $0.intersection(KeyRange(lower: lower, upper: nil)) }
            return nil
        }
        let end = KeyRange.successor(ofPrefix: bound)
        defer {
            let below = KeyRange(lower: [], upper: hasObjectKeys ? bound : end)
            ranges = ranges.compactMap { $0.intersection(below) }
        }
        guard hasObjectKeys else { return nil }
        // What is left of the value itself, whose object keys rise, comes before all that is below it.
        let rest = KeyRange(lower: EntryRange.bound(bound, behind: after.key), upper: end)
        return ranges.lazy.compactMap { $0.intersection(rest) }.first
    }

    /// Where a cut value ends in an entry, before its mark and hash.
    private func cutOffset(_ entry: UnsafeRawBufferPointer) -> Int {
        entry.count - 18 - (isPrimaryAccess ? 0 : 8)
    }

    /// Whether the entries are primary keys, without object keys behind them.
    var isPrimaryAccess: Bool {
        if case .primaryKey = plan.access { true } else { false }
    }

    /// Whether the value of an entry was cut.
    func isCut(_ entry: UnsafeRawBufferPointer) -> Bool {
        guard entry.count > OrderedKey.textByteCountMax else { return false }
        let value = UnsafeRawBufferPointer(
            rebasing: entry[5..<(entry.count - (isPrimaryAccess ? 0 : 8))])
        return OrderedKey.isCut(value)
    }

    private func hasPrefix(_ entry: UnsafeRawBufferPointer, _ prefix: [UInt8]) -> Bool {
        entry.count >= prefix.count && entry.prefix(prefix.count).elementsEqual(prefix)
    }

    // MARK: By object key

    /// Hands over the objects of several values, or of a range, in the order of their object keys.
    ///
    /// - `limit`: How many objects will be taken at most.
    func collectKeys(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(Failure) {
        let first = after?.key ?? 0
        if let collected = try collectedKeys(page: (first, limit)) {
            if isTooExpensive { return }
            let start = collected.partitioningIndex { $0 > first }
            var keys = Array(collected[start...])
            _ = try visit(&keys, upTo: .max, body)
            return
        }
        let ranges = EntryRange.ranges(plan.access, rowClass)
        if case .index(_, let values) = plan.access, values.allSatisfy(\.isSingleValue) {
            return try mergeValues(ranges, limit: limit, body)
        }
        var keys: [UInt64] = []
        try forEachEntry(ranges, reversed: false) { (_, key) throws(Failure) in
            if key > first { try append(key, to: &keys) }
            return true
        }
        _ = try visit(&keys, upTo: .max, body)
    }

    /// Merges ranges of one value each, whose entries stand in the order of object keys: takes some of
    /// each, hands over those up to where all are complete, and goes on there.
    private func mergeValues(
        _ ranges: [KeyRange], limit: Int, _ body: (UInt64, RowView) -> Bool
    ) throws(Failure) {
        let stepCount = max(16, min(limit, 1024))
        var left = ranges
        var position = after?.key ?? 0
        while !left.isEmpty {
            var keys: [UInt64] = []
            var end = UInt64.max
            var unfinished: [KeyRange] = []
            for range in left {
                var count = 0
                var last: UInt64 = 0
                try forEachEntry(
                    [EntryRange.resume(range, after: position)], reversed: false
                ) {
                    (_, key) throws(Failure) in
                    try append(key, to: &keys)
                    count += 1
                    last = key
                    return count < stepCount
                }
                if count == stepCount {
                    end = min(end, last)
                    unfinished.append(range)
                } else if count > 0 {
                    unfinished.append(range)
                }
            }
            guard try visit(&keys, upTo: end, body), end < .max else { return }
            position = end
            left = unfinished
        }
    }

    private func append(_ key: UInt64, to keys: inout [UInt64]) throws(Failure) {
        guard keys.count < limits.memoryByteCountMax / 8 else { throw .memory }
        keys.append(key)
    }

    /// Reads the rows of keys in order; false when no more are wanted.
    private func visit(
        _ keys: inout [UInt64], upTo end: UInt64, _ body: (UInt64, RowView) -> Bool
    ) throws(Failure) -> Bool {
        keys.sort()
        for key in keys {
            if key > end { break }
            guard isInTime() else { throw .time }
            guard pays(lookUp.rising + testCost) else { return false }
            guard let row = try fetch(key), test(key, row) else { continue }
            guard body(key, row) else { return false }
        }
        return true
    }

    private func sortByRows(_ run: inout [(key: UInt64, row: RowView)]) {
        run.sort { a, b in
            let result = order.compareByRows(a, b)
            return result == 0 ? a.key < b.key : result < 0
        }
    }
}

extension [UInt64] {
    /// The first place whose key satisfies a condition that all behind it satisfy as well.
    fileprivate func partitioningIndex(_ holds: (UInt64) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
