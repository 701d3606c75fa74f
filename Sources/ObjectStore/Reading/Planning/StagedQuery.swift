import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// A query with SORT, DISTINCT and LIMIT in another order than the usual one: they are applied from left to right to the objects
/// that the condition finds.
///
/// The objects are found, sorted and cut by a ``QueryExecution`` as far as it can be; the rest is done
/// with their keys in memory, within the query's limits.
package struct StagedQuery: Sendable {
    private let first: ObjectQuery
    private let firstLimit: Int
    private let stages: ArraySlice<QuerySuffix>

    /// The keys that the objects are sorted or told apart by, in all steps.
    package let orderKeys: [SortKey]

    /// Makes a query on the objects of a class.
    package init(classIndex: Int, predicate: Predicate?, suffixes: [QuerySuffix]) {
        var sort: [SortKey] = []
        var limit = Int.max
        var left = suffixes[...]
        if case .sort(let keys)? = left.first {
            sort = keys
            left.removeFirst()
        }
        while case .limit(let count)? = left.first {
            limit = min(limit, count)
            left.removeFirst()
        }
        first = ObjectQuery(classIndex: classIndex, predicate: predicate, sort: sort)
        firstLimit = limit
        stages = left
        orderKeys = suffixes.flatMap { suffix -> [SortKey] in
            switch suffix {
            case .sort(let keys), .distinct(let keys): keys
            case .limit: []
            }
        }
    }

    /// Returns the object keys of the result, in its order, and how the objects were found.
    ///
    /// - `isTimed`: As of ``QueryExecution/isTimed``.
    package func run(
        in transaction: ReadTransaction, limits: QueryLimits, isTimed: Bool = false
    ) throws(StoreError) -> (keys: [UInt64], execution: QueryExecution) {
        let execution = try QueryExecution(first, in: transaction, limits: limits)
        execution.isTimed = isTimed
        var keys: [UInt64] = []
        let countMax = limits.memoryByteCountMax / MemoryLayout<UInt64>.stride
        try execution.run(limit: firstLimit) { key, _ in
            keys.append(key)
            return keys.count <= countMax
        }
        if keys.count > countMax { throw .stopped(.memory) }
        for stage in stages {
            try transaction.checked { () throws(StoreError) in
                switch stage {
                case .limit(let count): keys.removeLast(max(0, keys.count - count))
                case .sort(let sortKeys): try sort(&keys, by: sortKeys, execution)
                case .distinct(let sortKeys): try keepDistinct(&keys, by: sortKeys, execution)
                }
            }
        }
        return (keys, execution)
    }

    /// Hands over the row of each object, with its position, as long as there is time, and memory for the bytes that `body`
    /// reports.
    private func forEach(
        _ keys: [UInt64], _ execution: QueryExecution,
        _ body: (_ position: Int, _ key: UInt64, _ row: RowView) -> Int
    ) throws(StoreError) {
        var byteCount = 0
        for (position, key) in keys.enumerated() {
            try execution.transaction.budget.require()
            let shown = execution.transaction.shownMark
            guard let row = try execution.fetch(key) else { continue }
            byteCount += body(position, key, row)
            execution.transaction.releaseShown(to: shown)
            guard byteCount <= execution.limits.memoryByteCountMax else { throw .stopped(.memory) }
        }
    }

    /// Sorts stably.
    private func sort(
        _ keys: inout [UInt64], by sortKeys: [SortKey], _ execution: QueryExecution
    ) throws(StoreError) {
        let order = ObjectOrder(sortKeys, of: execution.rowClass, in: execution.transaction)
        let buffer = ByteBuffer(capacity: 256)
        var entries: [(position: Int, entry: SortEntry)] = []
        try forEach(keys, execution) { position, key, row in
            buffer.removeAll()
            order.append(key, row, to: buffer)
            let entry = SortEntry(buffer.bytes, key: key)
            entries.append((position, entry))
            return entry.byteCount
        }
        let sorted = try order.budget.sorted(entries) { a, b in
            let result = order.compare(a.entry, b.entry)
            return result == 0 ? a.position < b.position : result < 0
        }
        keys = sorted.map(\.entry.key)
    }

    /// Keeps the first object of each combination of values.
    private func keepDistinct(
        _ keys: inout [UInt64], by sortKeys: [SortKey], _ execution: QueryExecution
    ) throws(StoreError) {
        let source = execution.transaction
        let evaluator = SortEvaluator(sortKeys.map { SortKey(path: $0.path) }, schema: source.rows)
        let buffer = ByteBuffer(capacity: 256)
        var seen: Set<[UInt8]> = []
        var kept: [UInt64] = []
        try forEach(keys, execution) { _, key, row in
            buffer.removeAll()
            guard evaluator.appendDistinct(row: row, key: key, source: source, to: buffer),
                seen.insert(buffer.array).inserted
            else { return 0 }
            kept.append(key)
            return buffer.count + 72
        }
        keys = kept
    }
}

extension QueryExecution {
    /// Hands over the rows of objects that were found, until `body` returns false.
    package func forEach(
        _ keys: [UInt64], _ body: (_ key: UInt64, _ row: RowView) -> Bool
    ) throws(StoreError) {
        try transaction.checked { () throws(StoreError) in
            for key in keys {
                try transaction.budget.require()
                guard let row = try fetch(key) else { continue }
                if !body(key, row) { break }
            }
        }
    }

    /// Reads the objects that were found and are there.
    func objects(_ keys: [UInt64]) throws(StoreError) -> [(key: UInt64, row: RowView)] {
        var objects: [(key: UInt64, row: RowView)] = []
        try forEach(keys) { key, row in
            objects.append((key, row))
            return true
        }
        return objects
    }
}

/// The time and memory that a query may use.
package struct QueryLimits: Sendable {
    /// When it has to be done, in milliseconds of the monotonic clock.
    package var deadlineMilliseconds: UInt64
    /// Bytes of memory for sorting and collecting.
    package var memoryByteCountMax: Int

    /// Makes limits.
    package init(deadlineMilliseconds: UInt64 = .max, memoryByteCountMax: Int = 256 << 20) {
        self.deadlineMilliseconds = deadlineMilliseconds
        self.memoryByteCountMax = memoryByteCountMax
    }
}
