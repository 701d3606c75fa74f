import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport

/// Random rules on a random store: what a view shows by them, and what random queries of every plan find on it, compared with the
/// plainest evaluator on a copy in which what the rules do not admit is absent.
package struct VisibilityDifferential: Differential {
    /// What was compared.
    package struct Counts: DifferentialCounts, Sendable {
        /// The rules, and the queries.
        package var visibilities = 0, queries = 0
        /// The plans that were followed, and the objects that were found.
        package var plans = 0, matches = 0
        /// The objects of all views, and those of them that were shown.
        package var objects = 0, shown = 0

        /// Makes counts of nothing.
        package init() {}

        /// Adds other counts.
        package mutating func add(_ other: Counts) {
            visibilities += other.visibilities
            queries += other.queries
            plans += other.plans
            matches += other.matches
            objects += other.objects
            shown += other.shown
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

    /// Makes a store and fills it.
    ///
    /// - `seed`: Says it all: the schema, the objects, the rules, the queries, the engine, and whether there are columns.
    package init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let classes = PlainSchema.make(&random)
        var options = QueryDifferential.options(keepsColumns: seed % 2 == 1)
        if seed % 5 == 0 { options.overflowLimits = .tiny }
        let engineCase = seed % 4 == 3 ? EngineCase.lmdb : .memory
        store = try Store(engine: try engineCase.open(), options: options)
        try store.setSchema(classes)
        filler = PlainFiller(classes, seed: random.next())
        try filler.fill(store)
    }

    /// Ends the store.
    package func close() { store.close() }

    /// Compares so many queries by each of so many rules, until one differs.
    package mutating func run(visibilityCount: Int, queryCount: Int) throws {
        for index in 0..<visibilityCount where difference == nil {
            if index > 0 { try filler.change(store) }
            try compare(queryCount)
        }
    }

    private mutating func compare(_ queryCount: Int) throws {
        let transaction = try store.read()
        defer { transaction.close() }
        let whole = try PlainWorld(transaction)
        let visibility = PlainVisibility(whole, transaction, &random)
        let world = visibility.part(of: whole)
        let shown = transaction.restricted(to: visibility.visibility(in: transaction))
        counts.visibilities += 1
        for name in world.names {
            counts.objects += whole.all(name).count
            counts.shown += world.all(name).count
        }
        let seen = try PlainWorld(shown)
        for name in world.names where difference == nil {
            difference = Self.difference(name, seen, world).map {
                "seed \(seed): \($0)\n  \(visibility.text)"
            }
        }
        var maker = PlainQueryMaker(world, seed: random.next())
        for _ in 0..<queryCount where difference == nil {
            counts.queries += 1
            let query = maker.make()
            var check = PlainCheck(world, shown, limit: Int.random(in: 1...7, using: &random))
            guard case .different = try check.compare(query) else {
                counts.plans += check.planCount
                counts.matches += check.matchCount
                continue
            }
            let small = try check.simplest(query)
            guard case .different(let text) = try check.compare(small) else { return }
            difference = "seed \(seed): \(text)\n  \(visibility.text)"
        }
    }

    private static func difference(
        _ name: String, _ seen: PlainWorld, _ expected: PlainWorld
    ) -> String? {
        let (seen, expected) = (seen.objects[name] ?? [:], expected.objects[name] ?? [:])
        for key in Set(seen.keys).union(expected.keys).sorted() where seen[key] != expected[key] {
            guard let own = seen[key], let other = expected[key] else {
                return "\(name) \(key) is \(seen[key] == nil ? "not shown" : "shown")"
            }
            let names = own.keys.filter { own[$0] != other[$0] }
            return names.map {
                "\(name) \(key) \($0): shown \(String(describing: own[$0])), "
                    + "expected \(String(describing: other[$0]))"
            }.joined(separator: "\n")
        }
        return nil
    }
}
