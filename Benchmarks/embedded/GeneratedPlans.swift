import Glibc
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastStorageLMDB
import HoldfastTestSupport

/// Runs generated queries by the plan that is chosen for them and by every other plan, in turn, and reports how
/// the processor times of the choice and of the best relate.
struct GeneratedPlans {
    private static let queryCount = 500
    /// The time in nanoseconds below which no plan counts as faster: the chosen plan has to be chosen as well, which
    /// the others are spared.
    private static let leastTime: UInt64 = 10_000
    /// A difference in nanoseconds that does not count.
    private static let equalTime: UInt64 = 5_000

    let arguments: Arguments

    /// Compares the plans of rows, then the plans beside columns.
    func run() throws {
        for (name, columnByteCountMax) in [("rows", 0), ("columns", 256 << 20)] {
            var options = StoreOptions()
            options.columns.byteCountMax = columnByteCountMax
            options.columns.helperCountMax = 0
            var random = SeededGenerator(seed: 1)
            let engine = try LMDBEngine(
                LMDBOptions(directory: "\(arguments.workDirectory)-planner-\(name)"))
            let store = try Store(engine: engine, options: options)
            defer { store.close() }
            guard try People(store).isEmpty else {
                throw Failure(
                    description: "\(arguments.workDirectory) has objects of an earlier run")
            }
            try GeneratedQuery.fill(store, count: Int64(arguments.objectCount), &random)
            try engine.checkpoint()
            let read = try store.read()
            defer { read.close() }
            var ratios: [Double] = []
            var scanRatios: [Double] = []
            for _ in 0..<Self.queryCount {
                let generated = try GeneratedQuery(read, &random)
                let (ratio, scanRatio) = try compare(generated, read)
                ratios.append(ratio)
                scanRatios.append(scanRatio)
            }
            ratios.sort()
            report("planner-\(name)-median", ratios[ratios.count / 2], "of the best")
            report("planner-\(name)-95", ratios[ratios.count * 95 / 100], "of the best")
            report("planner-\(name)-most", ratios[ratios.count - 1], "of the best")
            report(
                "planner-\(name)-above-10", Double(ratios.filter { $0 > 10 }.count), "queries")
            report("planner-\(name)-to-scan", scanRatios.max() ?? 0, "of the scan")
        }
    }

    /// The time of the chosen plan by that of the best one, and by that of the scan.
    private func compare(
        _ generated: GeneratedQuery, _ read: ReadTransaction
    ) throws -> (ofBest: Double, ofScan: Double) {
        let plans = try QueryExecution.alternatives(of: generated.query, in: read)
            .filter { $0.fallback == .none && $0.keys == nil }
        var own = UInt64.max
        var chosen = ""
        var times = [UInt64](repeating: 0, count: plans.count)
        var best = UInt64.max
        var bestPlan = ""
        for _ in 0..<arguments.rounds {
            let (time, text) = try Self.measure(generated) {
                try QueryExecution(generated.query, in: read)
            }
            own = min(own, time)
            chosen = text
            // A plan that takes thrice as long as another is not the best one.
            for (index, plan) in plans.enumerated() where times[index] / 3 <= best {
                let (time, text) = try Self.measure(generated) {
                    QueryExecution(generated.query, plan: plan, in: read)
                }
                times[index] = time
                guard time < best else { continue }
                best = time
                bestPlan = text
            }
        }
        // A few microseconds more do not count.
        func ratio(to time: UInt64) -> Double {
            own < time + Self.equalTime ? 1 : Double(own) / Double(max(time, Self.leastTime))
        }
        if ratio(to: best) > 5 {
            print("\(generated.text): \(own / 1000) µs by \(chosen); \(best / 1000) by \(bestPlan)")
        }
        let scan = plans.firstIndex(of: .scan(generated.query)).map { times[$0] }
        return (ratio(to: best), ratio(to: scan ?? best))
    }

    /// Measures planning and running a query, the second time: the first run finds in the processor's cache the data that
    /// another plan has read.
    private static func measure(
        _ generated: GeneratedQuery, _ plan: () throws -> QueryExecution
    ) throws -> (nanoseconds: UInt64, text: String) {
        _ = try generated.run(plan())
        let start = processorNanoseconds(of: CLOCK_THREAD_CPUTIME_ID)
        let execution = try plan()
        _ = try generated.run(execution)
        return (
            processorNanoseconds(of: CLOCK_THREAD_CPUTIME_ID) - start,
            execution.followed.map { text($0, execution) }.joined(separator: "; then ")
        )
    }

    /// Describes a plan by which a query was done.
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
}
