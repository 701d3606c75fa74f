import HoldfastGeometry
import HoldfastObjectModel
import HoldfastRows

/// A predicate independent of its spelling: the order of terms, of constants that are compared one by one and of the two
/// sides of a comparison does not count, nor do repeated terms.
package indirect enum CanonicalPredicate: Hashable, Sendable {
    case constant(Bool)
    case all(Set<CanonicalPredicate>)
    case any(Set<CanonicalPredicate>)
    case not(CanonicalPredicate)
    case comparison(Comparison)
    /// A path beside constants that are compared one by one.
    case list(ValuePath, Quantifier?, Relation, Set<Value>, Quantifier?)
    case within(RegionCondition)

    /// Takes a predicate apart.
    package init(_ predicate: Predicate) {
        switch predicate {
        case .constant(let truth): self = .constant(truth)
        case .and(let parts): self = .all(Set(parts.map { CanonicalPredicate($0) }))
        case .or(let parts): self = .any(Set(parts.map { CanonicalPredicate($0) }))
        case .not(let part):
            if case .not(let inner) = CanonicalPredicate(part) {
                self = inner
            } else {
                self = .not(CanonicalPredicate(part))
            }
        case .comparison(let comparison): self = Self.comparison(of: comparison)
        case .within(let condition): self = .within(condition)
        }
        switch self {
        case .all(let parts), .any(let parts): if parts.count == 1 { self = parts.first ?? self }
        default: break
        }
    }

    private static func comparison(of comparison: Comparison) -> CanonicalPredicate {
        if case .path(let path, let quantifier) = comparison.left,
            case .constants(let values, let listQuantifier) = comparison.right,
            // Else two lists are compared in their order.
            ComparedPath(comparison) != nil
        {
            return .list(path, quantifier, comparison.relation, Set(values), listQuantifier)
        }
        if case .constant = comparison.left, let swapped = comparison.comparison.swapped {
            var relation = comparison.relation
            relation.comparison = swapped
            return .comparison(Comparison(comparison.right, relation, comparison.left))
        }
        return .comparison(comparison)
    }
}

/// A point, or several, and the region that it has to lie in.
package struct RegionCondition: Hashable, Sendable {
    /// The way to the point: an embedded object, each of a collection of them, or one element of it.
    package var path: ValuePath
    /// The share of several points that has to lie in the region; any when nothing is said.
    package var quantifier: Quantifier?
    package var region: GeoRegion
    /// The class of the points, by position in the schema: one in GeoJSON's form.
    package var pointClass: Int
    /// The positions of the class's type and coordinates.
    package var pointMembers: [Int]

    /// The paths that it reads: type and coordinates of the points.
    var readPaths: [ValuePath] {
        guard let steps = path.stepsToObjects else { return [path] }
        return pointMembers.map { pointMember in
            ValuePath(
                root: path.root, steps: steps, terminal: .value(member: pointMember),
                type: .scalar(.double), firstMember: path.firstMember)
        }
    }
}
