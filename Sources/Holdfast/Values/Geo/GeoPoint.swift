import HoldfastGeometry

/// A point on the Earth, in degrees.
public struct GeoPoint: Hashable, Sendable {
    /// Degrees north of the equator; −90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich; −180 to 180.
    public let longitude: Double
    /// Metres above the ground, which queries do not look at; not negative.
    public let altitude: Double

    /// A point; nil where there is none: beyond the bounds, below the ground, or of a NaN.
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
