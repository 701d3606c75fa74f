import Geometry
import Query
import Rows
import Text

/// Where object keys come from without a look at the rows of their class.
package indirect enum PlanSource: Hashable, Sendable {
    /// The primary keys in some ranges.
    case primaryKey(ranges: [OrderedKeyRange])
    /// The entries of an index in some ranges.
    case index(member: Int, ranges: [OrderedKeyRange])
    /// The objects that have the words of a search, by a full-text index.
    case words(SearchIndex, TextSearch)
    /// The objects with a point in the cells that cover a region, by a geographic index.
    case points(SearchIndex, GeoRegion)
    /// The objects with a link to others, by the inverse links of those.
    ///
    /// - `far`: How the others are found; nil where the query names them.
    case links(LinkConstraint, far: Plan?)
    /// The object keys that all sources have; the smallest comes first.
    case all([PlanSource])
    /// The object keys that one of the sources has.
    case any([PlanSource])

    /// Whether it is a primary key or an index with single values only.
    var holdsSingleValues: Bool {
        switch self {
        case .primaryKey(let ranges), .index(_, let ranges): ranges.allSatisfy(\.isSingleValue)
        case .words, .points, .links, .all, .any: false
        }
    }

    /// Whether more is looked up for it than ranges of an index: words, cells or the objects of other classes.
    var needsLookUps: Bool {
        switch self {
        case .primaryKey, .index: false
        case .words, .points, .links: true
        case .all(let parts), .any(let parts): parts.contains(where: \.needsLookUps)
        }
    }

    /// Whether it asks a full-text or a geographic index.
    var isSearch: Bool {
        switch self {
        case .primaryKey, .index, .links: false
        case .words, .points: true
        case .all(let parts), .any(let parts): parts.contains(where: \.isSearch)
        }
    }

    /// Whether it is one value of an index, whose entries stand in the order of object keys.
    var isSingleIndexValue: Bool {
        if case .index(_, let ranges) = self {
            ranges.count == 1 && ranges[0].isSingleValue
        } else {
            false
        }
    }

    /// The source as the access of a plan.
    var access: Plan.Access {
        switch self {
        case .primaryKey(let ranges): .primaryKey(ranges: ranges)
        case .index(let member, let ranges): .index(member: member, ranges: ranges)
        case .words, .points, .links, .all, .any: .keys(self)
        }
    }
}
