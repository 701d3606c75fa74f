import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastThreads

/// The account of a page's work, where `explain` or the log of slow queries asks for it. Costs nothing where neither does.
package final class PageAccount {
    /// One stage of the work.
    struct Step {
        var name: String
        /// How many objects the stage gave; of a plan that was given up how many rows it read.
        var rows: Int
        var microseconds: UInt64
    }

    /// Whether anybody wants to know.
    let isAsked: Bool
    private let text: QueryText
    private let schema: RowSchema
    private let begun = monotonicMicroseconds()
    private var rowClass: RowClass?
    private var execution: QueryExecution?
    private var plans: [FollowedPlan] = []
    private var statistics: QueryExecution.Statistics?
    private var steps: [Step] = []
    private var clock = monotonicMicroseconds()

    /// Begins an account of a query.
    ///
    /// - `isWatched`: Whether it is told if it is slow.
    init(_ text: QueryText, _ schema: RowSchema, isWatched: Bool) {
        isAsked = text.explains || isWatched
        self.text = text
        self.schema = schema
    }

    /// Notes the class of the searched objects.
    func begin(_ rowClass: RowClass) { self.rowClass = rowClass }

    /// Makes an execution record its steps.
    func begin(_ execution: QueryExecution) {
        execution.isTimed = isAsked
        if isAsked { self.execution = execution }
    }

    /// Notes a stage, which has taken the time since the one before.
    func add(_ name: String, _ rows: Int) {
        guard isAsked else { return }
        let now = monotonicMicroseconds()
        steps.append(Step(name: name, rows: rows, microseconds: max(now, clock) - clock))
        clock = now
    }

    /// Notes the steps of an execution.
    ///
    /// - `isBeside`: Whether it is only a stage, with a plan and figures apart from the page's.
    func add(_ execution: QueryExecution, _ name: String, _ rows: Int, isBeside: Bool = false) {
        guard isAsked else { return }
        self.execution = nil
        let followed = execution.followed
        if isBeside { return add(stage: followed, name, rows) }
        add(followed, execution.statistics, name, rows)
    }

    /// Notes the plans that were followed, and their reads.
    func add(
        _ followed: [FollowedPlan], _ own: QueryExecution.Statistics, _ name: String, _ rows: Int
    ) {
        guard isAsked else { return }
        add(stage: followed, name, rows)
        plans += followed
        statistics?.rowsRead += own.rowsRead
        statistics?.entriesRead += own.entriesRead
        if statistics == nil { statistics = own }
    }

    private func add(stage followed: [FollowedPlan], _ name: String, _ rows: Int) {
        guard let rowClass else { return }
        let plan = PlanText(followed, rowClass, schema)
        steps += plan.stepsGivenUp
        // The time of abandoned plans is in their own steps.
        clock += plan.stepsGivenUp.reduce(0) { $0 + $1.microseconds }
        add(plan.step(name), rows)
    }

    /// Writes the member `explain`, if it is wanted and anything was done.
    ///
    /// - `count`: The number of objects on the page; nil for the count of the last stage.
    func write(to json: JSONWriter, rowsReturned count: Int?) {
        guard text.explains, let statistics, let rowClass else { return }
        let plan = PlanText(plans, rowClass, schema)
        json.raw(",\"explain\":")
        json.object { explain in
            explain.member("plan").string(plan.summary)
            explain.member("indexes").strings(plan.indexes)
            explain.member("rowsRead").int(Int64(statistics.rowsRead))
            explain.member("entriesRead").int(Int64(statistics.entriesRead))
            explain.member("rowsReturned").int(Int64(count ?? steps.last?.rows ?? 0))
            explain.member("steps").objects(of: steps) { step, entry in
                entry.member("name").string(step.name)
                entry.member("rows").int(Int64(step.rows))
                entry.member("microseconds").int(Int64(step.microseconds))
            }
        }
    }

    /// The query, if it took so long that it is slow.
    ///
    /// - `fault`: The fault that ended it; nil if it was answered.
    func slowQuery(from millisecondsMin: Int, _ fault: RequestFault?) -> SlowQuery? {
        let milliseconds = Int((monotonicMicroseconds() - begun) / 1000)
        guard milliseconds >= millisecondsMin, let rowClass else { return nil }
        var result = SlowQuery(text, of: rowClass, schema, milliseconds: milliseconds)
        let all = plans + (execution?.followed ?? [])
        result.plan = PlanText(all, rowClass, schema).summary
        result.rowsRead = (statistics?.rowsRead ?? 0) + (execution?.statistics.rowsRead ?? 0)
        result.rowsReturned = fault == nil ? steps.last?.rows ?? 0 : 0
        result.fault = fault?.code
        return result
    }
}
