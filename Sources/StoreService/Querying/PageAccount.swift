import JSON
import ObjectStore
import Rows
import Threads

/// What was done for a page, where `explain` asks for it. Costs nothing where it does not.
final class PageAccount {
    /// What happened at one stage.
    struct Step {
        var name: String
        /// How many objects the stage gave; of a plan that was given up how many rows it read.
        var rows: Int
        var microseconds: UInt64
    }

    /// Whether anybody wants to know.
    let isAsked: Bool
    private let rowClass: RowClass
    private let schema: RowSchema
    private var plans: [FollowedPlan] = []
    private var statistics: QueryExecution.Statistics?
    private var steps: [Step] = []
    private var clock = monotonicMicroseconds()

    /// Begins an account of a query of a class.
    init(_ text: QueryText, of rowClass: RowClass, _ schema: RowSchema) {
        isAsked = text.explains
        self.rowClass = rowClass
        self.schema = schema
    }

    /// Notes a stage, which has taken the time since the one before.
    func add(_ name: String, _ rows: Int) {
        guard isAsked else { return }
        let now = monotonicMicroseconds()
        steps.append(Step(name: name, rows: rows, microseconds: max(now, clock) - clock))
        clock = now
    }

    /// Notes what an execution did.
    ///
    /// - `isBeside`: Whether it is a stage alone, whose plan and figures are not those of the page.
    func add(_ execution: QueryExecution, _ name: String, _ rows: Int, isBeside: Bool = false) {
        guard isAsked else { return }
        let followed = execution.followed
        if isBeside { return add(stage: followed, name, rows) }
        add(followed, execution.statistics, name, rows)
    }

    /// Notes plans that were followed, and what they read.
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
        let plan = PlanText(followed, rowClass, schema)
        steps += plan.stepsGivenUp
        // What the plans given up have taken stands in their own steps.
        clock += plan.stepsGivenUp.reduce(0) { $0 + $1.microseconds }
        add(plan.step(name), rows)
    }

    /// Writes the member `explain`, if it is wanted and anything was done.
    ///
    /// - `count`: How many objects the page shows; nil for what the last stage gave.
    func write(to json: JSONWriter, rowsReturned count: Int?) {
        guard isAsked, let statistics else { return }
        let plan = PlanText(plans, rowClass, schema)
        json.raw(",\"explain\":")
        json.object { explain in
            explain.member("plan").string(plan.summary)
            explain.member("indexes").array { list in
                for name in plan.indexes { list.element().string(name) }
            }
            explain.member("rowsRead").int(Int64(statistics.rowsRead))
            explain.member("entriesRead").int(Int64(statistics.entriesRead))
            explain.member("rowsReturned").int(Int64(count ?? steps.last?.rows ?? 0))
            explain.member("steps").array { list in
                for step in steps {
                    list.element().object { entry in
                        entry.member("name").string(step.name)
                        entry.member("rows").int(Int64(step.rows))
                        entry.member("microseconds").int(Int64(step.microseconds))
                    }
                }
            }
        }
    }
}
