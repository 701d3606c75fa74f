import Bytes
import ObjectModel
import ObjectStore
import Query
import Rows
import TestSupport
import Testing

/// Random aggregations of things, by columns and row by row.
struct AggregationComparison {
    /// Forms of operations that columns have a way of their own for.
    enum Form: CaseIterable {
        case distinct, linkedDistinct, percentile, linked

        init?(_ name: String) {
            let isLinked = name.contains("city.")
            if name.hasPrefix("count(distinct") {
                self = isLinked ? .linkedDistinct : .distinct
            } else if name.hasPrefix("median") || name.hasPrefix("percentile") {
                self = .percentile
            } else if isLinked {
                self = .linked
            } else {
                return nil
            }
        }
    }

    private static let operationNames = [
        "count", "sum(number)", "avg(number)", "min(number)", "max(number)", "sum(wide)",
        "avg(wide)", "min(wide)", "sum(score)", "avg(score)", "min(score)", "max(score)",
        "sum(ratio)", "avg(ratio)", "max(ratio)", "min(born)", "max(born)", "sum(extra)",
        "max(city.size)", "sum(city.size)", "avg(city.size)", "min(city.area)", "sum(city.area)",
        "avg(city.twin.area)", "max(city.founded)", "min(city.founded)",
    ]
    /// Operations that need all values.
    private static let collectingNames = [
        "count(distinct number)", "count(distinct wide)", "count(distinct flag)",
        "count(distinct score)", "count(distinct ratio)", "count(distinct born)",
        "count(distinct name)", "count(distinct blob)", "count(distinct uid)",
        "count(distinct city.name)", "count(distinct city.size)", "count(distinct city.twin.name)",
        "median(number)", "median(wide)", "median(score)", "median(ratio)",
        "percentile(score,12.5)", "percentile(number,95)", "percentile(ratio,0)",
        "percentile(wide,100)", "median(city.size)", "count(distinct extra)",
    ]
    private static let groupNames = [
        "number", "wide", "flag", "score", "ratio", "born", "name", "blob", "uid", "city.name",
        "city.size", "city.twin.size", "extra", "city.twin.name", "city.@links.Thing.city.@count",
    ]

    let read: ReadTransaction
    let rowClass: RowClass
    /// The objects that are meant; nil for all.
    let predicate: Predicate?
    private let operations: [AggregateOperation]
    private let by: [GroupKey]
    private let limit: Int
    /// Little of it has groups made by rows again.
    private let byteCountMax: Int
    let text: String
    /// Which forms of operations there are.
    let forms: Set<Form>

    /// Makes a random one.
    init(
        _ predicate: Predicate?, _ read: ReadTransaction, _ rowClass: RowClass,
        _ random: inout SeededGenerator
    ) throws {
        self.read = read
        self.rowClass = rowClass
        self.predicate = predicate
        let collecting = Self.collectingNames.shuffled(using: &random)
            .prefix(Int.random(in: 0...2, using: &random))
        let calculating = Self.operationNames.shuffled(using: &random)
            .prefix(Int.random(in: 1...3, using: &random))
        forms = Set((calculating + collecting).compactMap { Form($0) })
        let names = (calculating + collecting).joined(separator: ",")
        operations = try AggregateOperation.parse(
            list: names, rootClass: rowClass.index, schema: read.rows)
        let groups = Self.groupNames.shuffled(using: &random)
            .prefix([0, 1, 1, 2, 3].randomElement(using: &random) ?? 1).joined(separator: ",")
        by =
            groups.isEmpty
            ? []
            : try GroupKey.parse(
                list: groups, zone: .offset(0), rootClass: rowClass.index, schema: read.rows)
        limit = [1, 5, 100_000].randomElement(using: &random) ?? 5
        byteCountMax = limit < 100 && Bool.random(using: &random) ? 100_000 : 1 << 30
        text = "\(names) by \(groups) limit \(limit) in \(byteCountMax)"
    }

    private func aggregation(after: [UInt8]?) -> Aggregation {
        Aggregation(
            operations, by: by, after: after, groupCountMax: limit, byteCountMax: byteCountMax,
            schema: read.rows)
    }

    /// Compares two pages.
    ///
    /// - Returns: Whether columns had what was asked.
    func compare(_ note: String) throws -> Bool {
        var after: [UInt8]?
        var isByColumns = false
        for _ in 0..<2 {
            let byRows = aggregation(after: after)
            let matcher = predicate?.makeMatcher(read.rows, source: read)
            try read.scan(rowClass) { key, row in
                if matcher?.matches(row: row, key: key, source: read) ?? true {
                    _ = byRows.add(row: row, key: key, source: read)
                }
                return true
            }
            let found = aggregation(after: after)
            let execution = try QueryExecution(
                ObjectQuery(classIndex: rowClass.index, predicate: predicate), in: read,
                limits: QueryLimits(memoryByteCountMax: byteCountMax))
            #expect(try execution.run(found) != nil)
            isByColumns =
                execution.followed.last.map { !$0.columns.isEmpty && !$0.testsRows } ?? false
            let own = try described(found.finish())
            let expected = try described(byRows.finish())
            #expect(own.lines == expected.lines, "\(note) \(text)")
            after = own.last
            if by.isEmpty || after == nil { break }
        }
        return isByColumns
    }

    /// Groups as texts, and the sort bytes of the last one.
    private func described(
        _ groups: [Aggregation.Group]
    ) throws -> (lines: [String], last: [UInt8]?) {
        let evaluator = SortEvaluator(by.map { SortKey(path: $0.path) }, schema: read.rows)
        let buffer = ByteBuffer()
        let lines = try groups.map { group in
            if !by.isEmpty {
                let row = try #require(try read.find(rowClass, key: group.key))
                buffer.removeAll()
                evaluator.append(row: row, key: group.key, source: read, to: buffer)
                #expect(buffer.array == group.sortBytes, "the object of a group of \(text)")
            }
            return "\(group.sortBytes): \(group.count) \(group.results.map(described))"
        }
        return (lines, groups.last?.sortBytes)
    }

    private func described(_ result: AggregateState.Result) -> String {
        switch result {
        case .none: return "none"
        case .beyondInt: return "beyond int"
        case .stored(let bytes, let storage):
            let buffer = ByteBuffer()
            // Zero has two signs, of which either may be the least.
            bytes.withUnsafeBytes { OrderedKey.append(stored: $0, element: storage, to: buffer) }
            return "\(storage) \(buffer.array)"
        }
    }
}
