/// A region of the Earth's surface as it is stated; nothing is checked yet.
package enum GeoShape: Hashable, Sendable {
    /// The polygon of four corners; its edges are great circles, not parallels.
    case box(bottomLeft: GeoPoint, topRight: GeoPoint)
    /// All that is within an angle, in radians, of a point.
    case circle(center: GeoPoint, radians: Double)
    /// Closed rings of vertices: the outer one, then its holes.
    case polygon([[GeoPoint]])

    /// The number of its points.
    package var pointCount: Int {
        switch self {
        case .box: 2
        case .circle: 1
        case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
        }
    }
}

extension GeoShape: CustomStringConvertible {
    /// The shape as it is written in a query.
    package var description: String {
        switch self {
        case .box(let bottomLeft, let topRight): "geoBox(\(bottomLeft), \(topRight))"
        case .circle(let center, let radians): "geoCircle(\(center), \(radians))"
        case .polygon(let rings):
            "geoPolygon("
                + rings.map { ring in
                    "{" + ring.map(\.description).joined(separator: ", ") + "}"
                }.joined(separator: ", ") + ")"
        }
    }
}
