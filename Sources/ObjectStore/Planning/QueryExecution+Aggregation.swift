import Bytes
import Query
import Rows
import Storage

extension QueryExecution {
    /// Hands every object of the result to an aggregation: an index that has the first groups in their order, chunk after
    /// chunk where all objects are scanned and columns have what is asked, else row by row.
    ///
    /// - Returns: How many objects there were; nil when there was too little memory.
    package func run(_ aggregation: Aggregation) throws(StoreError) -> Int? {
        if let count = try runByIndex(aggregation) { return count }
        if let count = try runByColumns(aggregation) { return count }
        var count = 0
        var isFull = false
        try run(limit: .max) { key, row in
            count += 1
            isFull = !aggregation.add(row: row, key: key, source: transaction)
            return !isFull
        }
        return isFull ? nil : count
    }

    /// Entries of an index that are walked for each group that is wanted, and at least: with so few the groups are found
    /// sooner than in columns.
    private static let entriesPerGroupMax = 64
    private static let walkedEntryCountMax = 1 << 14

    /// Counts the first groups of all objects in an index that has them in their order; nil where there is none, or groups
    /// are large: nothing was done then.
    private func runByIndex(_ aggregation: Aggregation) throws(StoreError) -> Int? {
        guard query.predicate == nil, let wanted = aggregation.countedOnly,
            wanted.member != rowClass.primaryKeyIndex, rowClass.isIndexed(wanted.member)
        else { return nil }
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
        if entryCount > entryCountMax { return nil }
        plan.source = .index(member: wanted.member, ranges: [.all])
        for group in groups {
            guard aggregation.add(group.count, of: group.sortBytes, key: group.key) else {
                throw .stopped(.memory)
            }
        }
        return groups.reduce(0) { $0 + $1.count }
    }

    /// Nil when columns do not have what is asked, or not room for all groups: nothing was done then.
    private func runByColumns(_ aggregation: Aggregation) throws(StoreError) -> Int? {
        guard let columns = aggregation.makeColumns(), let scan = try scan(for: columns),
            let left = try scan.aggregate(columns, byteCountMax: limits.memoryByteCountMax),
            let groups = aggregation.groups(
                of: columns, isAll: left.isEmpty, within: transaction.budget)
        else { return nil }
        columnScan = .some(scan)
        try transaction.checkFailure()
        var isFull = !aggregation.add(groups, isAll: left.isEmpty)
        for key in left where !isFull {
            guard let row = try fetch(key) else { continue }
            isFull = !aggregation.add(row: row, key: key, source: transaction)
        }
        if isFull { throw .stopped(.memory) }
        return columns.objectCount + left.count
    }

    /// A scan of all objects that columns answer whole, and have what is calculated of; nil for any other.
    private func scan(for calculation: any ColumnCalculation) throws(StoreError) -> ColumnScan? {
        guard plan.source == nil, plan.keys == nil, query.sort.isEmpty, after == nil else {
            return nil
        }
        return try ColumnScan(
            plan.residual, rowClass, calculation: calculation, in: transaction, readsAll: true)
    }

    /// The keys of the first object of each combination of values, in their order: of a scan over columns that have all
    /// of them. Nil for any other: nothing was done then.
    package func firstOfEach(_ keys: [SortKey]) throws(StoreError) -> [UInt64]? {
        guard let columns = ColumnAggregation(distinct: keys, schema: transaction.rows),
            let scan = try scan(for: columns),
            try scan.aggregate(columns, byteCountMax: limits.memoryByteCountMax) != nil,
            columns.byteCount + columns.groupCount * 8 <= limits.memoryByteCountMax
        else { return nil }
        columnScan = .some(scan)
        try transaction.checkFailure()
        return columns.firstKeys
    }

    /// Divides all objects among sections, of a scan over columns that have all values.
    ///
    /// - Returns: False for any other: rows have to be divided then.
    func divide(
        _ columns: SectionColumns, among groups: SectionGroups
    ) throws(StoreError) -> Bool {
        let begun = columnScan ?? nil
        guard let scan = try begun == nil ? scan(for: columns) : begun,
            try scan.divide(columns, among: groups, byteCountMax: limits.memoryByteCountMax)
        else { return false }
        columnScan = .some(scan)
        try transaction.checkFailure()
        return true
    }
}
