import HoldfastGeometry

/// The region within a distance of a point.
public struct GeoCircle: Hashable, Sendable, StatedRegion {
    /// The middle.
    public let center: GeoPoint
    /// The distance as an angle at the Earth's centre, in radians.
    public let radiusInRadians: Double

    /// A circle; nil for a radius that is negative or NaN.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    /// A circle of a distance.
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// A circle around a latitude and longitude; nil where that is no point, and for a radius that is negative or NaN.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// A circle of a distance around a latitude and longitude; nil where that is no point.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    var shape: GeoShape { .circle(center: center.vertex, radians: radiusInRadians) }
}
