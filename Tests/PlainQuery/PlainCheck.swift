import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// One query in every way that a store answers it, beside what the plain evaluator says.
struct PlainCheck {
    enum Outcome {
        case same
        /// The language does not take the query.
        case refused(String)
        case different(String)
    }

    private let world: PlainWorld
    private let transaction: ReadTransaction
    /// How many objects a page has.
    private let limit: Int
    /// How many plans gave the result.
    private(set) var planCount = 0
    /// How many objects the query found.
    private(set) var matchCount = 0

    init(_ world: PlainWorld, _ transaction: ReadTransaction, limit: Int) {
        self.world = world
        self.transaction = transaction
        self.limit = limit
    }

    /// Asks the store and the evaluator.
    mutating func compare(_ query: PlainQuery) throws -> Outcome {
        var printer = PlainPrinter()
        let text = printer.text(query)
        let arguments = printer.arguments
        guard let rowClass = transaction.rows.rowClass(named: query.className) else {
            return .refused("no class \(query.className)")
        }
        let compiled: CompiledQuery
        do throws(QueryError) {
            compiled = try CompiledQuery.compile(
                text: text, arguments: arguments, rootClass: rowClass.index,
                schema: transaction.rows)
        } catch {
            return .refused("\(text) \(arguments): \(error.message)")
        }
        func differ(_ way: String, _ found: [UInt64], _ expected: [UInt64]) -> Outcome {
            let concerned = Set(found).symmetricDifference(expected).sorted().prefix(2)
            let lines = [
                "\(query.className) by \(text) \(arguments.map(\.value.brief))",
                "  found \(found)", "  expected \(expected)", "  by \(way)",
            ]
            return .different(
                (lines + world.describe(query.className, concerned, text)).joined(separator: "\n"))
        }

        // The condition alone, on rows.
        let matching = world.keys(
            PlainQuery(className: query.className, predicate: query.predicate))
        matchCount += matching.count
        let matcher = compiled.predicate.makeMatcher(transaction.rows, source: transaction)
        var rows: [UInt64] = []
        let source = transaction
        try transaction.scan(rowClass) { key, row in
            if matcher.matches(row: row, key: key, source: source) { rows.append(key) }
            return true
        }
        if rows != matching { return differ("each row", rows, matching) }

        // The whole query.
        let staged = StagedQuery(
            classIndex: rowClass.index, predicate: compiled.predicate, suffixes: compiled.suffixes)
        let keys = try staged.run(in: transaction, limits: QueryLimits()).keys
        let expected = world.keys(query)
        if keys != expected { return differ("the whole", keys, expected) }

        // Its first SORT, by every plan.
        var sorted = query
        sorted.suffixes = Array(
            query.suffixes.prefix { if case .sort = $0 { true } else { false } })
        var objects = ObjectQuery(classIndex: rowClass.index, predicate: compiled.predicate)
        if case .sort(let keys)? = compiled.suffixes.first { objects.sort = keys }
        let all = world.keys(sorted)
        let count = try QueryExecution(objects.counted, in: transaction).count()
        if count != all.count { return differ("the count \(count)", [], all) }
        for expectedCount in [nil, limit] {
            objects.expectedCount = expectedCount
            let found = try run(QueryExecution(objects, in: transaction))
            if found != all { return differ("the query", found, all) }
        }
        let plans = try QueryExecution.alternatives(of: objects, in: transaction)
        for (place, plan) in plans.enumerated() {
            planCount += 1
            let found = try run(QueryExecution(objects, plan: plan, in: transaction))
            if found != all { return differ("\(plan)", found, all) }
            let count = try QueryExecution(objects, plan: plan, in: transaction).count()
            if count != all.count { return differ("the count \(count) by \(plan)", [], all) }
            guard place % 3 == 0 else { continue }
            let pages = try pages(objects, plan, all.count)
            if pages != all { return differ("pages of \(limit) by \(plan)", pages, all) }
        }
        return .same
    }

    /// Whether the language refuses a query.
    func isRefused(_ query: PlainQuery) -> Bool {
        var printer = PlainPrinter()
        let text = printer.text(query)
        guard let rowClass = transaction.rows.rowClass(named: query.className) else { return true }
        let compiled = try? CompiledQuery.compile(
            text: text, arguments: printer.arguments, rootClass: rowClass.index,
            schema: transaction.rows)
        return compiled == nil
    }

    private func run(_ execution: QueryExecution) throws -> [UInt64] {
        var keys: [UInt64] = []
        try execution.run(limit: .max) { key, _ in
            keys.append(key)
            return true
        }
        return keys
    }

    private func pages(_ query: ObjectQuery, _ plan: Plan, _ count: Int) throws -> [UInt64] {
        var query = query
        var all: [UInt64] = []
        while all.count <= count {
            let execution = QueryExecution(query, plan: plan, in: transaction)
            var taken = 0
            try execution.run(limit: limit) { key, row in
                taken += 1
                all.append(key)
                query.after = execution.position(key, row)
                return true
            }
            if taken < limit { break }
        }
        return all
    }

    // MARK: Simpler queries

    /// The simplest part of a query that still differs.
    mutating func simplest(_ query: PlainQuery) throws -> PlainQuery {
        for part in Self.parts(query) {
            if case .different = try compare(part) { return try simplest(part) }
        }
        return query
    }

    private static func parts(_ query: PlainQuery) -> [PlainQuery] {
        var parts: [PlainQuery] = []
        for place in query.suffixes.indices {
            var part = query
            part.suffixes.remove(at: place)
            parts.append(part)
        }
        for predicate in self.parts(query.predicate) {
            var part = query
            part.predicate = predicate
            parts.append(part)
        }
        return parts
    }

    private static func parts(_ predicate: PlainPredicate) -> [PlainPredicate] {
        func fewer(_ all: [PlainPredicate], _ make: ([PlainPredicate]) -> PlainPredicate)
            -> [PlainPredicate]
        {
            guard all.count > 2 else { return all }
            return all
                + all.indices.map { place in
                    var rest = all
                    rest.remove(at: place)
                    return make(rest)
                }
        }
        switch predicate {
        case .not(let part): return [part]
        case .and(let all): return fewer(all) { .and($0) }
        case .or(let all): return fewer(all) { .or($0) }
        case .constant: return []
        default: return [.constant(true)]
        }
    }
}
