import HoldfastGeometry
import HoldfastRows

/// A point, or several, and the region that it has to lie in.
package struct RegionCondition: Hashable, Sendable {
    /// The way to the point: an embedded object, each of a collection of them, or one element of it.
    package var path: ValuePath
    /// The share of several points that has to lie in the region; any when nothing is said.
    package var quantifier: Quantifier?
    /// The region.
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
