import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport

/// A random aggregate, and what has to come of it.
struct PlainAggregateQuery {
    struct Operation {
        let text: String
        let word: String
        let path: PlainGroups.Path
        var percent = 50.0
        /// The type of the result.
        let type: ScalarType
    }

    /// A group, or all objects without groups.
    struct Group {
        var keys: [Value]
        var count = 0
        var results: [Value] = []
        /// Whether a sum of ints has no value.
        var isBeyond: [Bool] = []
    }

    var by: [PlainGroups.Key] = []
    var operations: [Operation] = []
    /// Positions of operations, −1 for the count.
    var order: [(index: Int, isAscending: Bool)] = []
    /// The position of an operation, a sign and a constant.
    var having: (index: Int, sign: String, constant: Int64)?
    /// Objects with smaller ids are meant.
    var bound: Int64 = 0

    init(count: Int, _ random: inout SeededGenerator) {
        bound = Int64.random(in: 0...Int64(count), using: &random)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            guard let key = PlainGroups.keys.randomElement(using: &random),
                !by.contains(where: { $0.text == key.text || ($0.path.isMany && key.path.isMany) })
            else { continue }
            by.append(key)
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let operation = Self.operations.randomElement(using: &random),
                !operations.contains(where: { $0.text == operation.text })
            else { continue }
            operations.append(operation)
        }
        if by.isEmpty { return }
        if Bool.random(using: &random) {
            order = (0..<2).map { _ in
                (Int.random(in: -1..<operations.count, using: &random), Bool.random(using: &random))
            }
        }
        if Bool.random(using: &random) {
            let index = Int.random(in: -1..<operations.count, using: &random)
            if index < 0 || [.int, .double, .float, .decimal128].contains(operations[index].type) {
                having = (
                    index, ["<", "<=", "==", "!=", ">=", ">"].randomElement(using: &random) ?? "<",
                    Int64.random(in: -5...10, using: &random)
                )
            }
        }
    }

    private static let operations: [Operation] = PlainGroups.paths.flatMap { path -> [Operation] in
        let type = path.type ?? .int
        let isNumber = [.int, .float, .double, .decimal128, .mixed].contains(type)
        let isDecimal = type == .decimal128 || type == .mixed
        func operation(_ word: String, _ result: ScalarType) -> Operation {
            Operation(text: "\(word)(\(path.text))", word: word, path: path, type: result)
        }
        var found = [
            Operation(
                text: "count(distinct \(path.text))", word: "distinct", path: path, type: .int)
        ]
        if isNumber || type == .date { found += [operation("min", type), operation("max", type)] }
        guard isNumber else { return found }
        let real: ScalarType = isDecimal ? .decimal128 : .double
        found += [
            operation("sum", type == .int ? .int : real), operation("avg", real),
            operation("median", real),
        ]
        for percent in [0, 12.5, 95, 100] {
            found.append(
                Operation(
                    text: "percentile(\(path.text),\(percent))", word: "median", path: path,
                    percent: percent, type: real))
        }
        return found
    }

    // MARK: Asking

    /// The filter of the objects that are meant.
    var filter: String { "id < \(bound)" }

    /// The aggregate as a client states it.
    var text: AggregateText {
        var text = AggregateText(
            operations: (operations.map(\.text) + ["count"]).joined(separator: ","))
        if by.isEmpty { return text }
        text.by = by.map(\.text).joined(separator: ",")
        if by.contains(where: { $0.path.type == .date && $0.type == .int }) {
            text.timeZone = PlainGroups.zone.text
        }
        func name(_ index: Int) -> String { index < 0 ? "count" : operations[index].text }
        if !order.isEmpty {
            text.order = order.map { ($0.isAscending ? "" : "-") + name($0.index) }
                .joined(separator: ",")
        }
        if let having {
            text.having = "\(name(having.index)) \(having.sign) \(having.constant)"
        }
        return text
    }

    // MARK: Answering

    /// The groups in order; nil where a sum has no value that is needed.
    func answer(_ world: PlainGroups) -> [Group]? {
        var members: [(keys: [Value], items: [PlainGroups.Item])] = []
        for item in world.items where item.id < bound {
            var combinations: [[Value]] = [[]]
            for key in by {
                let values = world.values(key.path, item).map(key.value)
                combinations = combinations.flatMap { head in values.map { head + [$0] } }
            }
            for keys in combinations {
                if let index = members.firstIndex(where: { Self.order($0.keys, keys) == 0 }) {
                    members[index].items.append(item)
                } else {
                    members.append((keys, [item]))
                }
            }
        }
        if by.isEmpty, members.isEmpty { members = [([], [])] }
        members.sort { Self.order($0.keys, $1.keys) < 0 }
        var groups = members.map { group(world, $0.keys, $0.items) }
        if let having {
            if having.index >= 0, groups.contains(where: { $0.isBeyond[having.index] }) {
                return nil
            }
            groups = groups.filter {
                PlainComparison.holds(
                    figure(having.index, $0), having.sign, .int(having.constant))
            }
        }
        let places = Array(groups.enumerated()).sorted { a, b in
            for (index, isAscending) in order {
                let sorted = PlainComparison.sortOrder(
                    figure(index, a.element), figure(index, b.element))
                if sorted != 0 { return isAscending ? sorted < 0 : sorted > 0 }
            }
            return a.offset < b.offset
        }
        groups = places.map(\.element)
        return groups.contains { $0.isBeyond.contains(true) } ? nil : groups
    }

    private func figure(_ index: Int, _ group: Group) -> Value {
        index < 0 ? .int(Int64(group.count)) : group.results[index]
    }

    private func group(
        _ world: PlainGroups, _ keys: [Value], _ items: [PlainGroups.Item]
    ) -> Group {
        var group = Group(keys: keys, count: items.count)
        for operation in operations {
            let values = items.flatMap { world.values(operation.path, $0) }
            let result = PlainAggregate.result(
                operation.word, operation.percent, values, operation.path.type ?? .int)
            group.results.append(result)
            group.isBeyond.append(operation.word == "sum" && result == .null)
        }
        return group
    }

    private static func order(_ a: [Value], _ b: [Value]) -> Int {
        for (x, y) in zip(a, b) {
            let order = PlainComparison.sortOrder(x, y)
            if order != 0 { return order }
        }
        return 0
    }

    // MARK: Reading

    /// Whether a value of a reply is the one that is expected.
    static func isSame(_ json: QueryJSON?, _ value: Value, _ type: ScalarType?) -> Bool {
        guard let found = json.flatMap({ read($0, type) }) else { return false }
        switch (found, value) {
        case (.double(let x), .double(let y)):
            return x == y || (x.isNaN && y.isNaN)
                || abs(x - y) <= 1e-9 * max(1, abs(x), abs(y))
        case (.decimal(let x), .decimal(let y)):
            let (a, b) = (x.doubleFloor.value, y.doubleFloor.value)
            return PlainComparison.sortOrder(found, value) == 0
                || abs(a - b) <= 1e-12 * max(1, abs(a), abs(b))
        default: return PlainComparison.sortOrder(found, value) == 0
        }
    }

    private static func read(_ json: QueryJSON, _ type: ScalarType?) -> Value? {
        switch (type, json) {
        case (_, .null): return .null
        case (nil, .int(let id)): return .int(id)
        case (.int?, .int(let value)), (.mixed?, .int(let value)): return .int(value)
        case (.bool?, .bool(let value)): return .bool(value)
        case (.double?, .double(let value)), (.mixed?, .double(let value)): return .double(value)
        case (.double?, .int(let value)): return .double(Double(value))
        case (.double?, .string(let text)): return Double(text).map { .double($0) }
        case (.float?, .double(let value)): return .float(Float(value))
        case (.float?, .int(let value)): return .float(Float(value))
        case (.float?, .string(let text)): return Float(text).map { .float($0) }
        case (.decimal128?, .string(let text)): return Decimal128(text).map { .decimal($0) }
        case (.string?, .string(let text)), (.mixed?, .string(let text)): return .string(text)
        case (.date?, .string(var text)):
            return text.withUTF8 { Timestamp(rfc3339: UnsafeRawBufferPointer($0)) }.map {
                .date($0)
            }
        case (.mixed?, .object(let members)):
            if members["$double"] != nil { return .double(.nan) }
            return members["$decimal"]?.string.flatMap { Decimal128($0) }.map { .decimal($0) }
        default: return nil
        }
    }
}
