import HoldfastGeometry

/// The region between two corners, whose edges are great circles.
public struct GeoBox: Hashable, Sendable, StatedRegion {
    /// The corner in the south-west.
    public let bottomLeft: GeoPoint
    /// The corner in the north-east.
    public let topRight: GeoPoint

    /// A box between two points.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// A box between two points as latitude and longitude; nil where one is none.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    var shape: GeoShape { .box(bottomLeft: bottomLeft.vertex, topRight: topRight.vertex) }
}
