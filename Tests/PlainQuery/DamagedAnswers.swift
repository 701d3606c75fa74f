import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import HoldfastTestSupport

/// Random queries on stores of which entries are damaged: they may fail, and may find anything, but do not
/// trap and do end.
package struct DamagedAnswers {
    /// How long a query may take.
    private static let millisecondsMax: UInt64 = 50

    private let seed: UInt64
    private var random: SeededGenerator

    /// Makes a run; the seed says it all.
    package init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    /// Fills a store, damages entries of it one after the other, and asks queries after each.
    package mutating func run(roundCount: Int) throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let classes = PlainSchema.make(&random)
        var options = QueryDifferential.options(keepsColumns: seed % 2 == 0)
        if seed % 3 == 0 { options.overflowLimits = .tiny }
        let queries = try fill(engine, classes, options)
        let snapshot = try engine.snapshot()
        let sound = try snapshot.entries()
        snapshot.close()
        for _ in 0..<roundCount {
            let (key, value) = sound[Int.random(in: sound.indices, using: &random)]
            var batch = OwnedBatch()
            batch.changes[key] = .some(damaged(value))
            try batch.commit(to: engine)
            // A store that can't be opened any more has done what it should.
            guard let store = try? Store(engine: engine, options: options) else { continue }
            defer { store.close() }
            for query in queries.shuffled(using: &random).prefix(12) { try? ask(query, store) }
        }
    }

    private mutating func fill(
        _ engine: LastingEngine, _ classes: [ObjectClass], _ options: StoreOptions
    ) throws -> [PlainQuery] {
        let store = try Store(engine: engine, options: options)
        defer { store.close() }
        try store.setSchema(classes)
        var filler = PlainFiller(classes, seed: random.next())
        try filler.fill(store)
        return try store.reading { transaction in
            var maker = PlainQueryMaker(try PlainWorld(transaction), seed: random.next())
            return (0..<60).map { _ in maker.make() }
        }
    }

    private mutating func damaged(_ value: [UInt8]) -> [UInt8] {
        var value = value
        for _ in 0..<Int.random(in: 1...4, using: &random) where !value.isEmpty {
            let place = Int.random(in: value.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: value.removeSubrange(place...)
            case 1: value[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: value[place] = 0xFF
            case 3: value.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: value[place] = UInt8.random(in: 0...255, using: &random)
            }
        }
        return value
    }

    private func ask(_ query: PlainQuery, _ store: Store) throws {
        let transaction = try store.read()
        defer { transaction.close() }
        guard let rowClass = transaction.rows.rowClass(named: query.className) else { return }
        var printer = PlainPrinter()
        let text = printer.text(query)
        let compiled = try CompiledQuery.compile(
            text: text, arguments: printer.arguments, rootClass: rowClass.index,
            schema: transaction.rows)
        // A damaged count may stand for billions of links.
        let limits = QueryLimits(
            deadlineMilliseconds: monotonicMilliseconds() + Self.millisecondsMax,
            memoryByteCountMax: 1 << 20)
        transaction.beginFollowing(until: limits.deadlineMilliseconds)
        let staged = StagedQuery(
            classIndex: rowClass.index, predicate: compiled.predicate, suffixes: compiled.suffixes)
        _ = try? staged.run(in: transaction, limits: limits)
        var objects = ObjectQuery(classIndex: rowClass.index, predicate: compiled.predicate)
        if case .sort(let keys)? = compiled.suffixes.first { objects.sort = keys }
        for plan in try QueryExecution.alternatives(of: objects, in: transaction) {
            transaction.beginFollowing(until: limits.deadlineMilliseconds)
            let execution = QueryExecution(
                objects, plan: plan, in: transaction, limits: limits)
            try? execution.run(limit: .max) { key, row in
                _ = execution.position(key, row)
                return true
            }
            _ = try? QueryExecution(objects, plan: plan, in: transaction, limits: limits).count()
        }
    }
}
