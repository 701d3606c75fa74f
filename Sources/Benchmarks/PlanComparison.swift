import Glibc
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows

/// Runs queries by the plan that is chosen for them and by a scan, in turn, and reports what both cost.
struct PlanComparison {
    private let store: Store

    /// The part of a query's result that is taken.
    private enum Taken {
        case count
        case all
        case page(Int)
    }

    init(_ store: Store) { self.store = store }

    private static let queries: [(filter: String, sort: String, taken: [Taken])] = [
        ("age == 30", "", [.count, .page(21), .all]),
        ("age > 53", "", [.count, .page(21), .all]), ("age > 53", "score", [.page(21)]),
        ("age > 53", "email", [.page(21)]), ("age != 30", "", [.count, .page(21)]),
        ("active == true", "-score", [.page(21)]),
        ("active == true AND email CONTAINS 'user777'", "", [.page(21), .all]),
        ("active == true AND email CONTAINS 'nowhere'", "", [.page(21), .count]),
        ("email CONTAINS 'nowhere'", "score", [.page(21)]),
        ("age > 53 AND email CONTAINS 'nowhere'", "score", [.page(21)]),
        ("age > 90 AND email CONTAINS 'nowhere'", "", [.page(21)]),
        ("email == 'nowhere'", "score", [.page(21)]),
        ("email CONTAINS[c] 'nowhere'", "score", [.page(21)]),
        ("ANY tags == 'nowhere'", "score", [.page(21)]),
        ("active == true AND email == 'nowhere'", "score", [.page(21)]),
        ("active == true AND email == 'nowhere'", "", [.page(21)]),
        ("score < 1.0", "age", [.page(21)]), ("score < 1.0", "", [.count, .all]),
        ("score < 5.0 AND age == 30", "", [.count, .page(21)]),
        ("score < 5.0 AND age == 30", "email", [.page(21)]),
        ("age == 30 AND active == true", "", [.count, .page(21)]),
        ("age == 31 OR score < 0.5", "", [.count, .page(21)]),
        ("age > 50 OR score < 50", "", [.count, .page(21)]),
        ("city.name == 'City0437'", "", [.count, .page(21), .all]),
        ("city.name == 'City0437'", "score", [.page(21)]),
        ("city.name BEGINSWITH 'City'", "", [.count, .page(21)]),
        ("city.name == 'City0437' AND age > 50", "", [.count]),
        ("name BEGINSWITH 'A' AND email CONTAINS 'nowhere'", "", [.all]),
        ("name == 'Yuki Tanaka 75413' AND age > 50", "", [.page(21), .count]),
        ("score < 0.001 AND active == true", "", [.page(21)]),
        ("score < 0.003 AND active == true", "", [.page(21)]),
    ]

    /// Reports for each query the microseconds of CPU time by its plan and by a scan, the best of some
    /// rounds, and how they relate.
    func run(rounds: Int) throws {
        store.takeSamples()
        let read = try store.read()
        defer { read.close() }
        guard let rowClass = read.rows.rowClass(named: "Person") else { return }
        for (filter, sort, takings) in Self.queries {
            for taken in takings {
                var query = ObjectQuery(
                    classIndex: rowClass.index,
                    predicate: try CompiledQuery.compile(
                        text: filter, rootClass: rowClass.index, schema: read.rows
                    ).predicate,
                    sort: sort.isEmpty
                        ? []
                        : try SortKey.parse(
                            list: sort, root: .objects(classIndex: rowClass.index),
                            schema: read.rows))
                switch taken {
                case .count: query = query.counted
                case .page(let count): query.expectedCount = count
                case .all: break
                }
                var best = UInt64.max
                var bestScan = UInt64.max
                var found = 0
                var plan = ""
                for _ in 0..<rounds {
                    var start = processorNanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
                    let planned = try QueryExecution(query, in: read)
                    found = try Self.take(planned, query)
                    best = min(best, processorNanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - start)
                    plan = Self.text(planned)
                    start = processorNanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
                    let scan = QueryExecution(query, plan: .scan(query), in: read)
                    guard try Self.take(scan, query) == found else {
                        throw Failure(description: "\(filter): not what a scan finds")
                    }
                    bestScan = min(
                        bestScan, processorNanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - start)
                }
                let name = "\(filter) by \(sort) \(taken)"
                print(
                    "{\"name\":\"\(name)\",\"value\":\(Double(best) / Double(bestScan)),\"unit\":\"of a scan\",\"plan\":\"\(plan)\",\"us\":\(best / 1000),\"scan\":\(bestScan / 1000),\"found\":\(found)}"
                )
            }
        }
    }

    /// Describes how a query was done.
    static func text(_ execution: QueryExecution) -> String {
        execution.followed.map { text($0, execution) }.joined(separator: "; then ")
    }

    private static func text(_ followed: FollowedPlan, _ execution: QueryExecution) -> String {
        let plan = followed.plan
        let access =
            switch plan.source {
            case nil: followed.columns.isEmpty ? "scan" : "columns"
            case .index: "index"
            case .links: "links"
            case .all: "all"
            default: "any"
            }
        return
            "\(access) \(plan.keys?.count ?? -1) \(plan.order) entries \(execution.statistics.entriesRead)"
    }

    private static func take(_ execution: QueryExecution, _ query: ObjectQuery) throws -> Int {
        if query.isCounted { return try execution.count() }
        var count = 0
        try execution.run(limit: query.expectedCount ?? .max) { _, _ in
            count += 1
            return true
        }
        return count
    }
}
