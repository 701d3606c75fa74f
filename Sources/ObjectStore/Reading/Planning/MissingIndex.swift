import HoldfastQuery
import HoldfastRows

/// A property without an index that would shorten a query: the next step for a query that took too long.
package struct MissingIndex {
    /// The class, which may be that of linked objects.
    package let rowClass: RowClass
    /// The position of the property.
    package let member: Int

    /// Finds the property that a query compares, or else that by which it sorts. Cost: a walk through the terms.
    ///
    /// - Returns: Nil if every property that an index could serve has one, and if no property could have one: a regular
    ///   expression, a subquery and a calculation are tested on each object.
    package init?(
        of predicate: Predicate?, sort: [SortKey], rowClass: RowClass, _ schema: RowSchema
    ) {
        let search = Search(schema: schema)
        if let found = predicate.flatMap({ search.places($0, rowClass) })?.first(where: \.isMissing)
        {
            self = found
            return
        }
        guard let member = sort.first?.path.ownMember,
            case .scalar(let type) = sort.first?.path.type, type.canBeIndexed
        else { return nil }
        self.init(rowClass, member)
        if !isMissing { return nil }
    }

    /// Whether indexes of some properties could answer a condition, or one that it demands.
    package static func couldServe(
        _ predicate: Predicate, _ rowClass: RowClass, _ schema: RowSchema
    ) -> Bool {
        Search(schema: schema).places(predicate, rowClass) != nil
    }

    private init(_ rowClass: RowClass, _ member: Int) {
        self.rowClass = rowClass
        self.member = member
    }

    private var isMissing: Bool {
        !rowClass.isIndexed(member) && !rowClass.searchIndexes.contains { $0.member == member }
    }

    private struct Search {
        let schema: RowSchema

        /// The properties with indexes that together answer a condition, or a condition that it implies; nil if no indexes would.
        func places(_ predicate: Predicate, _ rowClass: RowClass) -> [MissingIndex]? {
            switch predicate {
            case .and(let parts):
                let each = parts.compactMap { places($0, rowClass) }
                return each.first { $0.contains(where: \.isMissing) } ?? each.first
            case .or(let parts):
                var all: [MissingIndex] = []
                for part in parts {
                    guard let own = places(part, rowClass) else { return nil }
                    all += own
                }
                return all
            case .constant: return nil
            case .within(let condition):
                if let member = condition.path.ownMember { return [MissingIndex(rowClass, member)] }
                return condition.linkConstraint(schema).flatMap(places)
            case .not: return own(predicate, rowClass)
            case .comparison(let comparison):
                if let words = comparison.wordConstraint {
                    return [MissingIndex(rowClass, words.member)]
                }
                return own(predicate, rowClass) ?? comparison.linkConstraint(schema).flatMap(places)
            }
        }

        private func own(_ predicate: Predicate, _ rowClass: RowClass) -> [MissingIndex]? {
            let constraint = predicate.constraints.first {
                $0.isSelective && rowClass.members[$0.member].storage.element != .data
            }
            return constraint.map { [MissingIndex(rowClass, $0.member)] }
        }

        private func places(_ constraint: LinkConstraint) -> [MissingIndex]? {
            guard case .matching(let far) = constraint.far else { return nil }
            return places(far, schema.classes[constraint.link.toClass])
        }
    }
}
