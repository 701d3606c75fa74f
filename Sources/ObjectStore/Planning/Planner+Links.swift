import Query
import Rows

extension Planner {
    /// The source with a plan for the objects at the far side of each link.
    mutating func planned(_ source: PlanSource, _ costMax: Int) throws(Failure) -> PlanSource {
        switch source {
        case .primaryKey, .index, .words, .points: return source
        case .links(let constraint, _):
            guard case .matching(let predicate) = constraint.far else { return source }
            var far = ObjectQuery(classIndex: constraint.link.toClass, predicate: predicate)
            // Only their keys are wanted, as for a count.
            far.isCounted = true
            var planner = Planner(far, transaction, limits, costMax: costMax)
            let plan = try planner.plan()
            entriesRead += planner.entriesRead
            return .links(constraint, far: plan)
        case .all(let parts):
            var all: [PlanSource] = []
            for part in parts { all.append(try planned(part, costMax)) }
            return .all(all)
        case .any(let parts):
            var all: [PlanSource] = []
            for part in parts { all.append(try planned(part, costMax)) }
            return .any(all)
        }
    }
}
