import HoldfastGeometry

/// The region between two corners. Its edges are great circles.
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

    /// A box between two points as latitude and longitude; nil if one of them is not a point.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else {
            return nil
        }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    var shape: GeoShape { .box(bottomLeft: bottomLeft.vertex, topRight: topRight.vertex) }
}

/// A region of the Earth as an argument of a query: a box, a circle or a polygon.
///
///     places.filter("location geoWithin $0", circle)
protocol StatedRegion {
    /// The region in the form of queries. It is checked when a query runs.
    var shape: GeoShape { get }
}

/// A point on the Earth, in degrees.
public struct GeoPoint: Hashable, Sendable {
    /// Degrees north of the equator; −90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich; −180 to 180.
    public let longitude: Double
    /// Metres above the ground; not negative. Queries ignore it.
    public let altitude: Double

    /// A point; nil for coordinates beyond the bounds, an altitude below the ground, or a NaN.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard latitude.magnitude <= 90, longitude.magnitude <= 180, altitude >= 0 else {
            return nil
        }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    init?(_ degrees: (latitude: Double, longitude: Double)) {
        self.init(latitude: degrees.latitude, longitude: degrees.longitude)
    }

    /// The point as shapes of queries have it.
    var vertex: HoldfastGeometry.GeoPoint {
        HoldfastGeometry.GeoPoint(longitude: longitude, latitude: latitude)
    }
}
