import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastStorage

extension QueryExecution {
    /// The groups of an aggregation, and how many objects these have.
    package typealias Grouped = (groups: [Aggregation.Group], objectCount: Int)

    /// The groups of all objects of the result: from an index that has the first groups in their order; chunk after chunk if all
    /// objects are scanned and columns have the values; otherwise from rows.
    ///
    /// - `aggregation`: Has seen nothing.
    /// - `limit`: How many objects count at most: with one they are read as rows.
    /// - Returns: Nil when there was too little memory.
    package func groups(
        of aggregation: Aggregation, limit: Int = .max
    ) throws(StoreError) -> Grouped? {
        if limit == .max {
            if try countByIndex(aggregation) { return try finish(aggregation) }
            if let grouped = try groupsByColumns(aggregation) { return grouped }
        }
        try run(limit: limit) { key, row in aggregation.add(row: row, key: key, source: transaction)
        }
        return try finish(aggregation)
    }

    /// The groups of some objects that were found before.
    package func groups(
        of aggregation: Aggregation, _ keys: [UInt64]
    ) throws(StoreError) -> Grouped? {
        try forEach(keys) { key, row in aggregation.add(row: row, key: key, source: transaction) }
        return try finish(aggregation)
    }

    private func finish(_ aggregation: Aggregation) throws(StoreError) -> Grouped? {
        let groups = try transaction.checked { () throws(StoreError) in
            aggregation.finish(within: transaction.budget)
        }
        return groups.map { ($0, aggregation.objectCount) }
    }

    /// Entries of an index that are walked for each group that is wanted, and at least: with so few the groups are found
    /// sooner than in columns.
    private static let entriesPerGroupMax = 64
    private static let walkedEntryCountMax = 1 << 14

    /// Counts the first groups of all objects in an index that has them in their order; false if there is no such index, or if
    /// groups are large. Nothing was done then.
    private func countByIndex(_ aggregation: Aggregation) throws(StoreError) -> Bool {
        guard query.predicate == nil, visibility == nil, let wanted = aggregation.countedOnly,
            !(transaction.restricted?.visibility.alters(wanted.member, of: rowClass.index) ?? false),
            wanted.member != rowClass.primaryKeyIndex, rowClass.isIndexed(wanted.member)
        else { return false }
        let prefix = rowClass.entryPrefix(of: wanted.member, [])
        var range = rowClass.entries(of: wanted.member, in: .all)
        if let after = wanted.after { range.lower = KeyRange.bound(prefix + after, behind: .max) }
        let (limit, overflows) = wanted.countMax.multipliedReportingOverflow(
            by: Self.entriesPerGroupMax)
        let entryCountMax = overflows ? .max : max(limit, Self.walkedEntryCountMax)
        var groups: [(sortBytes: [UInt8], key: UInt64, count: Int)] = []
        var entryCount = 0
        try transaction.scanEntries(range, expecting: 64) { (entry, _) throws(StoreError) in
            try transaction.budget.require()
            entryCount += 1
            let value = UnsafeRawBufferPointer(
                rebasing: entry[prefix.count..<(entry.count - MemoryLayout<UInt64>.size)])
            if let last = groups.indices.last,
                groups[last].sortBytes.withUnsafeBytes({ compareKeys($0, value) == 0 })
            {
                groups[last].count += 1
            } else if groups.count == wanted.countMax {
                return false
            } else {
                groups.append((Array(value), StoreKey.trailingObjectKey(entry), 1))
            }
            return entryCount <= entryCountMax
        }
        entriesRead += entryCount
        if entryCount > entryCountMax { return false }
        plan.source = .index(member: wanted.member, ranges: [.all])
        for group in groups {
            guard aggregation.add(group.count, of: group.sortBytes, key: group.key) else {
                throw .stopped(.memory)
            }
        }
        return true
    }

    /// Nil if columns do not have the values, or no room for all groups. Nothing was done then.
    private func groupsByColumns(_ aggregation: Aggregation) throws(StoreError) -> Grouped? {
        guard let columns = aggregation.makeColumns(), let scan = try scan(for: columns),
            let left = try scan.aggregate(columns, byteCountMax: limits.memoryByteCountMax)
        else { return nil }
        columns.byteCountMax = limits.memoryByteCountMax
        var whole = columns
        if !left.isEmpty {
            whole = aggregation.makeRows()
            for key in left {
                guard let row = try fetch(key) else { continue }
                guard whole.add(row: row, key: key, source: transaction) else { return nil }
            }
            whole.add(columns, within: transaction.budget)
        }
        let grouped = try finish(whole)
        if grouped != nil { columnScan = .some(scan) }
        return grouped
    }

    /// A scan of all objects that columns answer completely, including the calculated values; nil for any other scan.
    private func scan(for calculation: any ColumnCalculation) throws(StoreError) -> ColumnScan? {
        guard plan.source == nil, plan.keys == nil, query.sort.isEmpty, after == nil else {
            return nil
        }
        return try ColumnScan(
            plan.residual, rowClass, calculation: calculation, in: transaction, readsAll: true)
    }

    /// Divides all objects among sections, of a scan over columns that have all values.
    ///
    /// - Returns: False for any other: rows have to be divided then.
    func divide(_ columns: SectionColumns, among groups: SectionGroups) throws(StoreError) -> Bool {
        try transaction.checked { () throws(StoreError) in
            let begun = columnScan ?? nil
            guard let scan = try begun == nil ? scan(for: columns) : begun,
                try scan.divide(columns, among: groups, byteCountMax: limits.memoryByteCountMax)
            else { return false }
            columnScan = .some(scan)
            return true
        }
    }
}
