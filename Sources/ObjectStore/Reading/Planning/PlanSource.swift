import HoldfastGeometry
import HoldfastQuery
import HoldfastRows
import HoldfastText

/// A source of object keys that needs no look at the rows of their class.
package indirect enum PlanSource: Hashable, Sendable {
    /// The entries of an index in some ranges, or the primary keys where the property is that.
    case index(member: Int, ranges: [OrderedKeyRange])
    /// The objects that have the words of a search, by a full-text index.
    case words(SearchIndex, TextSearch)
    /// The objects with a point in the cells that cover a region, by a geographic index.
    case points(SearchIndex, GeoRegion)
    /// The objects that link to other objects, found by the inverse links of these.
    ///
    /// - `far`: The source of the others; nil where the query names them.
    case links(LinkConstraint, far: Plan?)
    /// The object keys that all sources have; the smallest comes first.
    case all([PlanSource])
    /// The object keys that one of the sources has.
    case any([PlanSource])

    /// The keys that a source finds on the view that shows everything: of a read rule, not of the query.
    case unrestricted(PlanSource)

    /// No object keys.
    package static let nothing = PlanSource.any([])

    /// Whether it is an index, or the primary key, with single values only.
    var holdsSingleValues: Bool {
        if case .index(_, let ranges) = self { ranges.allSatisfy(\.isSingleValue) } else { false }
    }

    /// Whether it is one value of an index, whose entries are in the order of object keys.
    var isSingleIndexValue: Bool {
        if case .index(_, let ranges) = self {
            ranges.count == 1 && holdsSingleValues
        } else {
            false
        }
    }

    /// Whether more is looked up for it than ranges of an index: words, cells or the objects of other classes.
    var needsLookUps: Bool {
        contains { if case .index = $0 { false } else { true } }
    }

    /// Whether a condition is met by it, or by one of its parts.
    private func contains(_ holds: (PlanSource) -> Bool) -> Bool {
        switch self {
        case .index, .words, .points, .links: holds(self)
        case .all(let parts), .any(let parts): parts.contains { $0.contains(holds) }
        case .unrestricted(let source): source.contains(holds)
        }
    }

    /// Whether it follows links, as each does that is looked for on the view that shows everything.
    var followsLinks: Bool {
        contains { if case .links = $0 { true } else { false } }
    }

    /// Whether it asks a full-text or a geographic index.
    var isSearch: Bool {
        contains { source in
            switch source {
            case .words, .points: true
            default: false
            }
        }
    }

    /// The share of the objects that it is taken to find where nothing tells: of a value less than of a range.
    var guessedShare: Double {
        switch self {
        case .index(_, let ranges):
            min(0.25, ranges.reduce(0) { $0 + ($1.isSingleValue ? 1.0 / 32 : 0.25) })
        case .words, .points: 1.0 / 32
        case .links: 0.25
        case .all(let parts): parts.map(\.guessedShare).min() ?? 1
        case .any(let parts): min(1, parts.reduce(0) { $0 + $1.guessedShare })
        case .unrestricted(let source): source.guessedShare
        }
    }
}
