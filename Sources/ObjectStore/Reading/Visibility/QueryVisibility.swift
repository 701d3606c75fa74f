import HoldfastQuery
import HoldfastRows

/// The effect of a view's sight on the plan of a query.
///
/// The rule is one more condition to find objects by. What is found by it, or by an index, is a candidate: its row is shown, or not,
/// and the whole filter is tested on what is shown.
struct QueryVisibility {
    /// The objects that may be read; nil for all.
    let rule: Predicate?
    private let visibility: Visibility
    private let classIndex: Int

    /// Nil where the query finds what it would find without the sight.
    init?(_ visibility: Visibility, of query: ObjectQuery) {
        self.visibility = visibility
        classIndex = query.classIndex
        rule = visibility.parts[classIndex].rule
        if rule != nil { return }
        let schema = visibility.schema
        let dependencies =
            (query.predicate?.dependencies(schema) ?? [])
            + query.sort.flatMap { $0.path.dependencies(schema) }
        guard dependencies.contains(where: visibility.alters) else { return nil }
    }

    /// Whether entries of an index of a property have an order that what is shown has not.
    func reorders(_ member: Int) -> Bool {
        visibility.parts[classIndex].altered.contains(member)
    }

    /// Whether a source that a filter gives finds all objects that satisfy it as they are shown: those with null in the place of a
    /// hidden value are not where an index has null.
    func isComplete(_ source: PlanSource) -> Bool {
        switch source {
        case .index(let member, let ranges):
            !reorders(member) || ranges.allSatisfy { $0.lower.first ?? 0 > 0 }
        // Neither null nor an object behind a link that is null there has words, a point or a value to be found by.
        case .words, .points, .links, .unrestricted: true
        case .all(let parts), .any(let parts): parts.allSatisfy(isComplete)
        }
    }
}

extension ReadTransaction {
    /// The effect of the view's sight on a query; nil where it does not concern it.
    func visibility(on query: ObjectQuery) -> QueryVisibility? {
        restricted.flatMap { QueryVisibility($0.visibility, of: query) }
    }

    /// Whether columns have what the view shows.
    func mayUse(_ references: Set<ColumnReference>, of rowClass: RowClass) -> Bool {
        guard let visibility = restricted?.visibility else { return true }
        return !visibility.mayHideObjects(of: rowClass.index)
            && references.allSatisfy { reference in
                !visibility.mayHideObjects(of: reference.classIndex)
                    && (reference.member < 0
                        || !visibility.alters(reference.member, of: reference.classIndex))
            }
    }
}
