import Glibc
import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import Synchronization
import HoldfastTestSupport
import Testing

@Suite("Columns")
struct ColumnTests {
    /// Options with which every scan uses columns.
    static func eager(_ change: (inout ColumnOptions) -> Void = { _ in }) -> StoreOptions {
        var options = StoreOptions()
        options.columns.useCountMin = 1
        options.columns.objectCountMin = 0
        options.columns.sharedMicrosecondsMin = 0
        options.columns.probedChunkCount = 1
        change(&options.columns)
        return options
    }

    /// The keys of the class's objects that satisfy a predicate, by rows alone.
    static func byRows(_ predicate: Predicate, _ read: ReadTransaction, _ rowClass: RowClass) throws
        -> [UInt64]
    {
        let matcher = predicate.makeMatcher(read.rows, source: read)
        var keys: [UInt64] = []
        try read.scan(rowClass) { key, row in
            if matcher.matches(row: row, key: key, source: read) { keys.append(key) }
            return true
        }
        return keys
    }

    /// The same by a query, which uses columns, as a list and as a count.
    static func byQuery(_ predicate: Predicate, _ read: ReadTransaction, _ rowClass: RowClass)
        throws -> (keys: [UInt64], count: Int)
    {
        let query = ObjectQuery(classIndex: rowClass.index, predicate: predicate)
        let count = try QueryExecution(query, in: read).count()
        var keys: [UInt64] = []
        try QueryExecution(query, in: read).run(limit: .max) { key, _ in
            keys.append(key)
            return true
        }
        return (keys, count)
    }

    /// Pages of a sorted query, by columns and by rows.
    private static func compareSorted(
        _ predicate: Predicate, _ text: String, _ read: ReadTransaction, _ rowClass: RowClass,
        _ random: inout SeededGenerator
    ) throws {
        let names = [
            "number", "wide", "flag", "score", "ratio", "-number", "-score", "-ratio", "born",
            "city.name,-number", "-city.size,score", "number,-city.twin.name", "score,-ratio",
            "-city.name", "flag,-wide,number", "wide,score,number", "city.size,-city.name,-wide",
            "-city.@links.Thing.city.@count,number", "label", "-label", "day", "-day,label",
            "city.size,-label", "label,number", "blob", "number,blob",
        ]
        let sort = try SortKey.parse(
            list: names.randomElement(using: &random) ?? "score", clause: "sort",
            root: .objects(classIndex: rowClass.index), schema: read.rows)
        let isWhole = Int.random(in: 0..<4, using: &random) == 0
        let evaluator = SortEvaluator(sort, schema: read.rows)
        let matcher = predicate.makeMatcher(read.rows, source: read)
        var expected: [(bytes: [UInt8], key: UInt64)] = []
        try read.scan(rowClass) { key, row in
            guard isWhole || matcher.matches(row: row, key: key, source: read) else { return true }
            let buffer = ByteBuffer()
            evaluator.append(row: row, key: key, source: read, to: buffer)
            expected.append((buffer.array, key))
            return true
        }
        expected.sort { a, b in
            a.bytes == b.bytes ? a.key < b.key : a.bytes.lexicographicallyPrecedes(b.bytes)
        }
        var query = ObjectQuery(
            classIndex: rowClass.index, predicate: isWhole ? nil : predicate, sort: sort)
        let limit = Int.random(in: 1...40, using: &random)
        var found: [UInt64] = []
        for _ in 0..<3 {
            let execution = try QueryExecution(query, in: read)
            try execution.run(limit: limit) { key, row in
                found.append(key)
                query.after = execution.position(key, row)
                return true
            }
        }
        #expect(
            found == expected.prefix(3 * limit).map(\.key), "\(text) by \(sort) limit \(limit)")
    }

    /// Compares the first objects of combinations of values, by a query and by rows.
    private static func compareDistinct(
        _ predicate: Predicate?, _ text: String, _ read: ReadTransaction, _ rowClass: RowClass,
        _ random: inout SeededGenerator
    ) throws {
        let names = [
            "number", "wide", "flag", "score", "ratio", "born", "name", "blob", "uid", "city",
            "city.name",
        ]
        let paths = names.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random))
        let distinct = try SortKey.parse(
            list: paths.joined(separator: ","), clause: "distinct",
            root: .objects(classIndex: rowClass.index), schema: read.rows)
        let evaluator = SortEvaluator(distinct, schema: read.rows)
        let matcher = predicate?.makeMatcher(read.rows, source: read)
        var seen: Set<[UInt8]> = []
        var expected: [UInt64] = []
        try read.scan(rowClass) { key, row in
            guard matcher?.matches(row: row, key: key, source: read) ?? true else { return true }
            let buffer = ByteBuffer()
            if evaluator.appendDistinct(row: row, key: key, source: read, to: buffer),
                seen.insert(buffer.array).inserted
            {
                expected.append(key)
            }
            return true
        }
        let staged = StagedQuery(
            classIndex: rowClass.index, predicate: predicate, suffixes: [.distinct(distinct)])
        #expect(
            try staged.run(in: read, limits: QueryLimits()).keys == expected, "\(text) \(paths)")
    }

    private static func fill(_ store: Store, _ count: Int64, _ random: inout SeededGenerator) throws
    {
        var operations: [ObjectScript.Operation] = []
        for id in 0..<ColumnWorld.cityCount {
            operations.append(
                .write("City", ColumnWorld.cityDraft(id, &random), key: nil, .merge))
        }
        for id in 0..<count {
            operations.append(.write("Thing", ColumnWorld.thing(id, &random), key: nil, .merge))
        }
        for start in stride(from: 0, to: operations.count, by: 500) {
            let part = operations[start..<min(start + 500, operations.count)]
            try store.write { transaction throws(StoreError) in
                for operation in part { try operation.run(transaction) }
            }
        }
    }

    private static func commit(
        _ store: Store, _ thingCount: Int64, _ random: inout SeededGenerator
    ) throws {
        let operations = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            ColumnWorld.change(thingCount, &random)
        }
        try store.write { transaction throws(StoreError) in
            for operation in operations {
                do throws(StoreError) {
                    try transaction.attempt { () throws(StoreError) in
                        try operation.run(transaction)
                    }
                } catch {
                    guard case .objectNotFound = error else {
                        if case .danglingLinks = error { continue }
                        throw error
                    }
                }
            }
        }
    }

    @Test(
        "agree with rows in snapshots of every age, while others commit",
        arguments: EngineCase.all, [1 << 30, 600_000])
    func random(engineCase: EngineCase, byteCountMax: Int) throws {
        let seed = SeededGenerator.testSeed("columns on \(engineCase) in \(byteCountMax)")
        var random = SeededGenerator(seed: seed)
        let store = try Shelter.open(
            engineCase,
            options: Self.eager {
                $0.byteCountMax = byteCountMax
                $0.changedKeyCountMax = byteCountMax > 1 << 20 ? 1 << 20 : 400
            }, classes: ColumnWorld.classes)
        // More than one chunk of things.
        let count: Int64 = 9_000
        try Self.fill(store, count, &random)
        let stops = Mutex(false)
        let writing = SeededGenerator(seed: seed &+ 1)
        let writer = try StartedThread {
            var random = writing
            while !stops.withLock({ $0 }) {
                try? Self.commit(store, count + 50, &random)
                // Else it has a processor of its own, which reads nothing.
                usleep(2000)
            }
        }
        var open: [ReadTransaction] = []
        var found = 0
        var aggregatedCount = 0
        defer {
            stops.withLock { $0 = true }
            writer.result()
            for read in open { read.close() }
            store.close()
        }
        for round in 0..<SeededGenerator.scaled(16) {
            if open.count == 4 {
                open.remove(at: Int.random(in: 0..<4, using: &random)).close()
            }
            open.append(try store.read())
            var arguments: [QueryArgument] = []
            let text = ColumnWorld.query(depth: 2, &arguments, &random)
            for read in open.shuffled(using: &random).prefix(2) {
                let rowClass = try #require(read.rows.rowClass(named: "Thing"))
                let compiled = try CompiledQuery.compile(
                    text: text, arguments: arguments, rootClass: rowClass.index, schema: read.rows)
                let expected = try Self.byRows(compiled.predicate, read, rowClass)
                let (keys, count) = try Self.byQuery(compiled.predicate, read, rowClass)
                #expect(
                    keys == expected && count == expected.count,
                    "\(round): \(text) \(arguments): \(Set(keys).symmetricDifference(expected))")
                guard keys == expected, count == expected.count else { return }
                found += count
                try Self.compareSorted(compiled.predicate, text, read, rowClass, &random)
                let isWhole = Int.random(in: 0..<3, using: &random) == 0
                let predicate = isWhole ? nil : compiled.predicate
                try Self.compareDistinct(predicate, text, read, rowClass, &random)
                let sections = try SectionComparison(predicate, read, rowClass, &random)
                _ = try sections.compare(round, &random)
                let aggregation = try AggregationComparison(predicate, read, rowClass, &random)
                let isByColumns = try aggregation.compare("\(round): \(isWhole ? "" : text)")
                aggregatedCount += isByColumns ? 1 : 0
            }
        }
        #expect(found > 100)
        if byteCountMax > 1 << 20 {
            #expect(store.columns.byteCount > 100_000)
            #expect(aggregatedCount > 0)
        }
    }

    @Test("calculate what takes a way of its own over columns as rows do")
    func forms() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("forms over columns"))
        let store = try Shelter.open(
            EngineCase.memory, options: Self.eager(), classes: ColumnWorld.classes)
        defer { store.close() }
        try Self.fill(store, 9_000, &random)
        let read = try store.read()
        defer { read.close() }
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        var forms: Set<AggregationComparison.Form> = []
        for name in [
            "count(distinct number)", "count(distinct city.size)", "median(number)",
            "sum(city.size)",
        ] {
            for by in [[], ["flag"]] {
                let comparison = try AggregationComparison(
                    nil, read, rowClass, [name], by: by, &random)
                let isByColumns = try comparison.compare(name)
                #expect(isByColumns || comparison.isSmall, "\(name) \(by)")
                forms.formUnion(comparison.forms)
            }
        }
        #expect(forms == Set(AggregationComparison.Form.allCases))
    }

    @Test("make groups of what is calculated, of elements and of links, as rows do")
    func calculatedGroups() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("groups over columns"))
        let store = try Shelter.open(
            EngineCase.memory, options: Self.eager(), classes: ColumnWorld.classes)
        defer { store.close() }
        // More than one chunk, so that a helper may make a part.
        try Self.fill(store, 9_000, &random)
        let read = try store.read()
        defer { read.close() }
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        for name in AggregationComparison.calculatedNames {
            for others in [[], ["number"], ["name", "flag"]] {
                let comparison = try AggregationComparison(
                    nil, read, rowClass, ["max(born)", "avg(score)"], by: [name] + others, &random)
                let isByColumns = try comparison.compare(name)
                // Without a filter only groups have the scan use columns.
                #expect(isByColumns || comparison.isSmall, "\(name) \(others)")
            }
        }
    }

    @Test("divide what has a place of its own in columns into sections, as rows do")
    func sections() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("sections over columns"))
        let store = try Shelter.open(
            EngineCase.memory, options: Self.eager(), classes: ColumnWorld.classes)
        defer { store.close() }
        try Self.fill(store, 9_000, &random)
        let read = try store.read()
        defer { read.close() }
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        for name in [
            "number", "wide", "flag", "uid", "blob", "day", "city.size", "prefix(label,1)",
            "prefix(label,9)",
        ] {
            let path = name.hasPrefix("prefix") ? "label" : name
            // The first chunk has one object, and several sections come after it.
            if name == "number" || name == "wide" {
                let compiled = try CompiledQuery.compile(
                    text: "id == 5 OR id > 8500", rootClass: rowClass.index, schema: read.rows)
                let sections = try SectionComparison(
                    compiled.predicate, read, rowClass, by: name, sort: name)
                #expect(try sections.compare(0, &random), "\(name)")
            }
            let sorts = [
                path, "-\(path)", "wide,-number", "-flag,score", "-city.size,label", "-label",
                "-day,-label",
            ]
            for sort in sorts + (path == name ? ["-\(name),-wide,flag", "\(name),label"] : []) {
                let sections = try SectionComparison(nil, read, rowClass, by: name, sort: sort)
                #expect(try sections.compare(0, &random), "\(name) \(sort)")
            }
        }
    }
}
