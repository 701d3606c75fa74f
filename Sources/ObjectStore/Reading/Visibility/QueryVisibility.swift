import HoldfastQuery
import HoldfastRows

/// The effect of a view's visibility on the plan of a query.
///
/// The rule is one more condition to find objects by. An object that the rule or an index finds is a candidate: its row is shown
/// or not, and the whole filter is tested on the visible part.
struct QueryVisibility {
    /// The objects that may be read; nil for all.
    let rule: Predicate?
    private let visibility: Visibility
    private let classIndex: Int

    /// Nil if the query finds the same objects without the visibility.
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

    /// Whether entries of an index of a property have another order than the visible values.
    func reorders(_ member: Int) -> Bool { visibility.parts[classIndex].altered.contains(member) }

    /// Whether a source that a filter gives finds all objects whose visible values satisfy it. Objects with null in place of a
    /// hidden value are not among an index's entries for null.
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
    /// The effect of the view's visibility on a query; nil where it does not concern it.
    func visibility(on query: ObjectQuery) -> QueryVisibility? {
        restricted.flatMap { QueryVisibility($0.visibility, of: query) }
    }

    /// Whether columns have the visible values.
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
