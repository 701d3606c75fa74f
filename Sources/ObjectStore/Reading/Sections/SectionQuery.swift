import HoldfastQuery

/// Which sections of a query's result are wanted, and how many objects of each.
///
/// A section holds the objects that have one key in common. Sections stand in the order in which their
/// first objects appear in the sorted result, and objects within a section in the order of the result.
package struct SectionQuery: Sendable {
    /// The class, by position.
    package var classIndex: Int
    /// The condition; nil for all objects.
    package var predicate: Predicate?
    /// The whole result, where the filter has a DISTINCT or a LIMIT, or SORTs in another order than the
    /// usual one; then ``predicate`` says nothing.
    package var stages: StagedQuery?
    /// The order of the result, of one key at least; the object key completes it.
    package var sort: [SortKey]
    /// The key that the objects of a section have in common.
    package var key: SectionKey
    /// Behind which section to begin; nil for the first one. See ``Section/position``.
    package var after: QueryPosition?
    /// How many sections came before ``after``, for where that is gone.
    package var countBefore = 0
    /// Sections at most.
    package var sectionCountMax: Int
    /// Objects that are shown of each section, at most.
    package var objectCountMax: Int
    /// Whether the number of all sections is wanted.
    package var countsAll: Bool

    package init(
        classIndex: Int, predicate: Predicate?, stages: StagedQuery?, sort: [SortKey],
        key: SectionKey, sectionCountMax: Int, objectCountMax: Int, countsAll: Bool
    ) {
        self.classIndex = classIndex
        self.predicate = predicate
        self.stages = stages
        self.sort = sort
        self.key = key
        self.sectionCountMax = sectionCountMax
        self.objectCountMax = objectCountMax
        self.countsAll = countsAll
    }

    /// The number of objects that must be known of each section. It includes the first one even if no object is shown, if keys
    /// that are equal may be written differently, as 0 and -0 are, or the decimals 1.0 and 1.00.
    var knownObjectCountMax: Int {
        switch key.path.type {
        case .scalar(.float), .scalar(.double), .scalar(.decimal128), .scalar(.mixed):
            max(1, objectCountMax)
        default: objectCountMax
        }
    }

    /// The rest of ``sort`` for the objects of a section: all of one have the same key, but not where that is
    /// the beginning of a text.
    var ownSort: [SortKey] {
        isContiguous && key.prefixCount == nil ? Array(sort.dropFirst()) : sort
    }

    /// Whether sections stand in the order of their keys, each in one piece.
    var isContiguous: Bool { stages == nil && sort.first?.path == key.path }
}
