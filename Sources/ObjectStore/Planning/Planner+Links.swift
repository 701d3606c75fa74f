import Query
import Rows

extension Planner {
    /// The source with a plan for the objects at the far side of each link.
    ///
    /// - `cost`: Takes what has to be looked up before the first key.
    mutating func planned(_ source: PlanSource, _ cost: inout Int) throws(Failure) -> PlanSource {
        switch source {
        case .primaryKey(let ranges), .index(_, let ranges):
            cost += ranges.count * QueryCost.followed
            return source
        case .words:
            cost += QueryCost.always
            return source
        case .points:
            cost += QueryCost.cover
            return source
        case .links(let constraint, _):
            guard case .matching(let predicate) = constraint.far else {
                cost += QueryCost.risingRow
                return source
            }
            var far = ObjectQuery(classIndex: constraint.link.toClass, predicate: predicate)
            // Only their keys are wanted, as for a count.
            far.isCounted = true
            var planner = Planner(far, transaction, limits)
            let plan = try planner.plan()
            entriesRead += planner.entriesRead
            let targets = QueryCost.times(planner.expected.count, QueryCost.risingRow)
            cost = QueryCost.sum(cost, QueryCost.sum(planner.expected.cost, targets))
            return .links(constraint, far: plan)
        case .all(let parts):
            var all: [PlanSource] = []
            for part in parts { all.append(try planned(part, &cost)) }
            return .all(all)
        case .any(let parts):
            var all: [PlanSource] = []
            for part in parts { all.append(try planned(part, &cost)) }
            return .any(all)
        }
    }
}
