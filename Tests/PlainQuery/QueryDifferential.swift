import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

/// Random queries on a random store, answered by the store in every way it knows and by the plainest
/// evaluator, and compared. The queries are such as the language takes; one that is refused is a difference
/// as well.
package struct QueryDifferential: Differential {
    /// What was compared.
    package struct Counts: DifferentialCounts, Sendable {
        /// The queries.
        package var queries = 0
        /// The plans that were followed, and the objects that were found.
        package var plans = 0, matches = 0

        /// Makes counts of nothing.
        package init() {}

        /// Adds other counts.
        package mutating func add(_ other: Counts) {
            queries += other.queries
            plans += other.plans
            matches += other.matches
        }
    }

    /// What was compared so far.
    package private(set) var counts = Counts()
    /// The first difference, with all that is needed to see it; nil for none.
    package private(set) var difference: String?
    private let seed: UInt64
    private let store: Store
    private var filler: PlainFiller
    private var random: SeededGenerator
    /// Queries that are asked again after the objects have changed.
    private var repeated: [PlainQuery] = []

    /// Makes a store and fills it.
    ///
    /// - `seed`: Says it all: the schema, the objects, the queries, the engine, and whether there are columns.
    package init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let classes = PlainSchema.make(&random)
        var options = Self.options(keepsColumns: seed % 2 == 1)
        if seed % 5 == 0 { options.overflowLimits = .tiny }
        let engineCase = seed % 8 == 7 ? EngineCase.lmdb : .memory
        store = try Store(engine: try engineCase.open(), options: options)
        try store.setSchema(classes)
        filler = PlainFiller(classes, seed: random.next())
        try filler.fill(store)
    }

    /// Options of a store with which every scan uses columns, or none does.
    static func options(keepsColumns: Bool) -> StoreOptions {
        var options = StoreOptions()
        options.columns.useCountMin = 1
        options.columns.objectCountMin = 0
        options.columns.sharedMicrosecondsMin = 0
        if !keepsColumns { options.columns.byteCountMax = 0 }
        return options
    }

    /// Ends the store.
    package func close() { store.close() }

    /// Compares so many queries, changing objects now and then, until one differs.
    package mutating func run(queryCount: Int) throws {
        let phaseCount = 3
        for phase in 0..<phaseCount {
            if phase > 0 { try filler.change(store) }
            try compare(queryCount / phaseCount)
            if difference != nil { return }
        }
    }

    private mutating func compare(_ queryCount: Int) throws {
        let transaction = try store.read()
        defer { transaction.close() }
        let world = try PlainWorld(transaction)
        difference = world.disorder.map { "seed \(seed), a set out of order: \($0)" }
        var maker = PlainQueryMaker(world, seed: random.next())
        // Some of those that were asked before the last change have columns that followed it.
        let old = repeated.shuffled(using: &random).prefix(queryCount / 4)
        for query in old { try compare(query, world, transaction) }
        for _ in old.count..<max(old.count, queryCount) where difference == nil {
            let query = maker.make()
            repeated.append(query)
            try compare(query, world, transaction)
            guard counts.queries % 20 == 0, let faulty = maker.makeFaulty() else { continue }
            if !PlainCheck(world, transaction, limit: 1).isRefused(faulty) {
                var printer = PlainPrinter()
                difference = "seed \(seed), taken: \(faulty.className) by \(printer.text(faulty))"
            }
        }
    }

    private mutating func compare(
        _ query: PlainQuery, _ world: PlainWorld, _ transaction: ReadTransaction
    ) throws {
        guard difference == nil else { return }
        counts.queries += 1
        var check = PlainCheck(world, transaction, limit: Int.random(in: 1...7, using: &random))
        switch try check.compare(query) {
        case .same:
            counts.plans += check.planCount
            counts.matches += check.matchCount
        case .refused(let reason): difference = "seed \(seed), refused: \(reason)"
        case .different:
            let small = try check.simplest(query)
            guard case .different(let text) = try check.compare(small) else { return }
            difference = "seed \(seed): \(text)"
        }
    }
}
