import HoldfastQuery
import HoldfastRows

/// The effect of a view's sight on the plan of a query.
///
/// The rule is one more condition to find objects by. What is found by it, or by an index, is a candidate: its row is shown, or not,
/// and the whole filter is tested on what is shown.
struct QuerySight {
    /// The objects that may be read; nil for all.
    let rule: Predicate?
    private let sight: Sight
    private let classIndex: Int

    /// Nil where the query finds what it would find without the sight.
    init?(_ sight: Sight, of query: ObjectQuery) {
        self.sight = sight
        classIndex = query.classIndex
        rule = sight.parts[classIndex].rule
        if rule != nil { return }
        let schema = sight.schema
        let dependencies =
            (query.predicate?.dependencies(schema) ?? [])
            + query.sort.flatMap { $0.path.dependencies(schema) }
        guard dependencies.contains(where: sight.alters) else { return nil }
    }

    /// Whether entries of an index of a property have an order that what is shown has not.
    func reorders(_ member: Int) -> Bool {
        sight.parts[classIndex].altered.contains(member)
    }

    /// Whether a source that a filter gives finds all objects that satisfy it as they are shown: those with null in the place of a
    /// hidden value are not where an index has null.
    func isComplete(_ source: PlanSource) -> Bool {
        switch source {
        case .index(let member, let ranges):
            !reorders(member) || ranges.allSatisfy { $0.lower.first ?? 0 > 0 }
        // Neither null nor an object behind a link that is null there has words, a point or a value to be found by.
        case .words, .points, .links, .bare: true
        case .all(let parts), .any(let parts): parts.allSatisfy(isComplete)
        }
    }
}

extension ReadTransaction {
    /// The effect of the view's sight on a query; nil where it does not concern it.
    func sight(on query: ObjectQuery) -> QuerySight? {
        sighted.flatMap { QuerySight($0.sight, of: query) }
    }

    /// Whether columns have what the view shows.
    func mayUse(_ references: Set<ColumnReference>, of rowClass: RowClass) -> Bool {
        guard let sight = sighted?.sight else { return true }
        return !sight.mayHideObjects(of: rowClass.index)
            && references.allSatisfy { reference in
                !sight.mayHideObjects(of: reference.classIndex)
                    && (reference.member < 0
                        || !sight.alters(reference.member, of: reference.classIndex))
            }
    }
}
