import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
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
    /// Groups by what is calculated from values, by elements and by links.
    static let calculatedNames = [
        "year(born)", "month(born)", "day(born)", "hour(born)", "bucket(number,3)",
        "bucket(wide,7)", "bucket(wide,0.75)", "bucket(score,0.75)", "bucket(score,1e-300)",
        "bucket(ratio,2)", "tags", "marks", "cities", "bucket(marks,2)", "city",
        "bucket(city.size,2)",
    ]
    private static let zones = ["Z", "-03:30", "Europe/Paris", "Australia/Lord_Howe"]
    private static let orders = ["", "", "count", "-count", "-count,sum(number)"]
    private static let conditions = ["", "", "count > 2", "sum(number) > 1"]

    let read: ReadTransaction
    let rowClass: RowClass
    /// The objects that are meant; nil for all.
    let predicate: Predicate?
    private let operations: [AggregateOperation]
    private let by: [GroupKey]
    private let limit: Int
    private let byteCountMax: Int
    /// Whether there is so little memory that rows may have to make the groups again.
    let isSmall: Bool
    private let selection: GroupSelection
    let text: String
    /// Which forms of operations there are.
    let forms: Set<Form>

    /// Makes a random one.
    init(
        _ predicate: Predicate?, _ read: ReadTransaction, _ rowClass: RowClass,
        _ random: inout SeededGenerator
    ) throws {
        let group = [0, 1, 1, 2, 3].randomElement(using: &random) ?? 1
        var hasElements = false
        let groups = (Self.groupNames + Self.calculatedNames).shuffled(using: &random)
            .prefix(group).filter { name in
                guard Self.elementNames.contains(where: { name.contains($0) }) else { return true }
                defer { hasElements = true }
                return !hasElements
            }
        let collecting = Self.collectingNames.shuffled(using: &random)
            .prefix(Int.random(in: 0...2, using: &random))
        let names = Self.operationNames.shuffled(using: &random)
            .prefix(Int.random(in: 1...3, using: &random))
        try self.init(predicate, read, rowClass, Array(names + collecting), by: groups, &random)
    }

    /// Makes one of some operations and groups, in a random order.
    ///
    /// - `first`: How many of the first groups in the order of their values are wanted, and the memory for them; nil for
    ///   any groups in any order.
    init(
        _ predicate: Predicate?, _ read: ReadTransaction, _ rowClass: RowClass,
        _ names: [String], by groups: [String],
        first: (countMax: Int, byteCountMax: Int)? = nil, _ random: inout SeededGenerator
    ) throws {
        self.read = read
        self.rowClass = rowClass
        self.predicate = predicate
        forms = Set(names.compactMap { Form($0) })
        // Groups are ordered and chosen by it.
        let names = (["sum(number)"] + names.filter { $0 != "sum(number)" }).joined(
            separator: ",")
        operations = try AggregateOperation.parse(
            list: names, rootClass: rowClass.index, schema: read.rows)
        let zone = Self.zones.randomElement(using: &random) ?? "Z"
        by =
            groups.isEmpty
            ? []
            : try GroupKey.parse(
                list: groups.joined(separator: ","), zone: try #require(ClockZone(zone)),
                rootClass: rowClass.index, schema: read.rows)
        var selection = GroupSelection()
        let order = Self.orders.randomElement(using: &random) ?? ""
        if !order.isEmpty {
            selection.order = try GroupOrder.parse(list: order, operations: operations)
        }
        let condition = Self.conditions.randomElement(using: &random) ?? ""
        if !condition.isEmpty {
            selection.condition = try GroupCondition.parse(
                condition, operations: operations, schema: read.rows)
        }
        self.selection = groups.isEmpty || first != nil ? GroupSelection() : selection
        limit = first?.countMax ?? [1, 5, 100_000].randomElement(using: &random) ?? 5
        isSmall =
            first == nil && limit < 100 && !selection.needsAll && Bool.random(using: &random)
        byteCountMax = first?.byteCountMax ?? (isSmall ? 100_000 : 1 << 30)
        text =
            "\(names) by \(groups) in \(zone) where \(condition) in order of \(order) limit \(limit) "
            + "in \(byteCountMax)"
    }

    /// Parts of the names of groups by the elements of collections.
    private static let elementNames = ["tags", "marks", "cities"]

    private func aggregation(after: [UInt8]?) -> Aggregation {
        Aggregation(
            operations, by: by, page: GroupPage(of: selection, after: after, countMax: limit),
            byteCountMax: byteCountMax, schema: read.rows)
    }

    /// The groups of a page.
    private func first(_ groups: [Aggregation.Group], after: [UInt8]?) throws -> [Aggregation.Group]
    {
        try #require(
            try selection.first(of: groups, after: after, countMax: limit, within: Budget()))
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
            var objectCount = 0
            var hasRoom = true
            // A query before may have left its deadline, which passes on a slow machine.
            read.budget.begin(until: .max)
            try read.scan(rowClass) { key, row in
                if matcher?.matches(row: row, key: key, source: read) ?? true {
                    objectCount += 1
                    if !byRows.add(row: row, key: key, source: read) { hasRoom = false }
                }
                return true
            }
            let found = aggregation(after: after)
            let execution = try QueryExecution(
                ObjectQuery(classIndex: rowClass.index, predicate: predicate), in: read,
                limits: QueryLimits(memoryByteCountMax: byteCountMax))
            let groups = byRows.finish(within: Budget())
            guard let grouped = try execution.groups(of: found) else {
                #expect(!hasRoom || groups == nil, "\(note) \(text)")
                return false
            }
            #expect(grouped.objectCount == objectCount)
            isByColumns =
                execution.followed.last.map { !$0.columns.isEmpty && !$0.testsRows } ?? false
            let own = try described(try first(grouped.groups, after: after))
            guard let groups else { return isByColumns }
            let expected = try described(try first(groups, after: after))
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
        let lines = try groups.map { group in
            if !by.isEmpty {
                let row = try #require(try read.find(rowClass, key: group.key))
                let alone = Aggregation(
                    [], by: by, page: GroupPage(after: nil, countMax: nil),
                    byteCountMax: byteCountMax, schema: read.rows)
                _ = alone.add(row: row, key: group.key, source: read)
                let isOfGroup = try #require(alone.finish(within: Budget())).contains {
                    $0.sortBytes == group.sortBytes
                }
                #expect(isOfGroup, "the object of a group of \(text)")
            }
            return "\(group.sortBytes): \(group.count) \(group.results.map(described))"
        }
        return (lines, try groups.last.map { try selection.position(of: $0) })
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
