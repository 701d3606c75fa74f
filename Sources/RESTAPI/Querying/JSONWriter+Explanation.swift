import JSON
import ObjectJSON
import ObjectStore

extension JSONWriter {
    /// Writes how a query was run: the value of `explain`.
    func explanation(
        _ plan: PlanText, _ statistics: QueryExecution.Statistics, _ steps: [QueryPage.Step],
        rowsReturned count: Int
    ) {
        object { explain in
            explain.member("plan").string(plan.summary)
            explain.member("indexes").array { list in
                for name in plan.indexes { list.element().string(name) }
            }
            explain.member("rowsRead").int(Int64(statistics.rowsRead))
            explain.member("entriesRead").int(Int64(statistics.entriesRead))
            explain.member("rowsReturned").int(Int64(count))
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
