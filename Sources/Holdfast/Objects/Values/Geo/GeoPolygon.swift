import HoldfastGeometry

/// The region within a ring of points and outside of its holes.
public struct GeoPolygon: Hashable, Sendable, StatedRegion {
    /// The outer ring. Its last point equals its first.
    public let outerRing: [GeoPoint]
    /// Rings inside the polygon that do not belong to it.
    public let holes: [[GeoPoint]]

    /// A polygon; nil if a ring has fewer than four points or is not closed.
    ///
    /// Crossing rings and similar faults are reported by the query that uses the polygon.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]) {
        guard ([outerRing] + holes).allSatisfy({ $0.count >= 4 && $0.first == $0.last }) else {
            return nil
        }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// A polygon with holes as separate arguments; nil if a ring has fewer than four points or is not closed.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    /// A polygon of latitudes and longitudes; nil if a pair is not a point, or if a ring has fewer than four points or is not
    /// closed.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
        let rings = ([outerRing] + holes).map { $0.compactMap { GeoPoint($0) } }
        guard zip(rings, [outerRing] + holes).allSatisfy({ $0.count == $1.count }) else {
            return nil
        }
        self.init(outerRing: rings[0], holes: Array(rings.dropFirst()))
    }

    /// A polygon of latitudes and longitudes with holes as separate arguments; nil if a pair is not a point, or if a ring has
    /// fewer than four points or is not closed.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    var shape: GeoShape { .polygon(([outerRing] + holes).map { $0.map(\.vertex) }) }
}
