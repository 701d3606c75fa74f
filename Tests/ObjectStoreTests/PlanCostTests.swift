@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport
import Testing

/// Random queries on skewed values, links, places and words.
@Suite("Costs of plans, compared with the best plan")
struct PlanCostTests {
    private static let objectCount: Int64 = 4000

    /// What a query has read: in units of an entry, a row of a scan two and more where words are looked for, a row
    /// that is looked up as many as in a class of this size.
    private static func cost(_ execution: QueryExecution) -> Int {
        var cost = execution.statistics.entriesRead * QueryCost.entry
        for followed in execution.followed {
            if followed.plan.source == nil {
                cost +=
                    followed.rowsRead
                    * (QueryCost.scannedRow + QueryCost.test(followed.plan.residual))
            } else {
                cost += followed.rowsRead * LookUpCost(objectCount: Int(Self.objectCount)).rising
            }
        }
        return cost
    }

    @Test(
        "the cost of a plan is at most 25 times that of the best plan, and for half of the queries at most a fifth more"
    )
    func comparison() throws {
        // The shares of values and words are guessed (decision 15).
        var random = SeededGenerator(seed: 1)
        // Columns read nothing that could be counted.
        var options = StoreOptions()
        options.columns.byteCountMax = 0
        let store = try Store(engine: EngineCase.memory.open(), options: options)
        defer { store.close() }
        try GeneratedQuery.fill(store, count: Self.objectCount, &random)
        let read = try store.read()
        defer { read.close() }
        var ratios: [Double] = []
        for number in 0..<500 {
            let generated = try GeneratedQuery(read, &random)
            let chosen = try QueryExecution(generated.query, in: read)
            chosen.isTimed = true
            let own = try generated.run(chosen)
            let cost = Self.cost(chosen)
            var best = Int.max
            for plan in try QueryExecution.alternatives(of: generated.query, in: read)
            where plan.fallback == .none && plan.keys == nil {
                let forced = QueryExecution(generated.query, plan: plan, in: read)
                forced.isTimed = true
                let keys = try generated.run(forced)
                #expect(keys == own, "query \(number): \(generated.text): \(plan)")
                best = min(best, Self.cost(forced))
            }
            // What takes ten microseconds is as good as what takes one.
            let ratio = Double(cost) / Double(max(best, QueryCost.always))
            ratios.append(ratio)
            #expect(
                ratio <= 25,
                "query \(number): \(generated.text): \(cost), best \(best), by \(chosen.followed.map { "\($0.plan.source.debugDescription) \($0.plan.order)" })"
            )
        }
        ratios.sort()
        #expect(ratios[ratios.count / 2] <= 1.2)
    }
}
