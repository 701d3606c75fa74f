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

    /// A circle with a distance as radius.
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// A circle around a latitude and longitude; nil if they are not a point, or if the radius is negative or NaN.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// A circle with a distance as radius around a latitude and longitude; nil if they are not a point.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    var shape: GeoShape { .circle(center: center.vertex, radians: radiusInRadians) }
}

/// A distance on the Earth's surface.
public struct Distance: Hashable, Sendable {
    /// The angle at the Earth's centre, in radians.
    public let radians: Double

    /// The Earth's radius, as Realm has it.
    private static let earthRadiusKilometers = 6378.1
    private static let kilometersInMile = 1.609344

    private init?(checking radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// A distance in kilometres; nil if it is negative or NaN.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(checking: kilometers / earthRadiusKilometers)
    }

    /// A distance in miles; nil if it is negative or NaN.
    public static func miles(_ miles: Double) -> Distance? { kilometers(miles * kilometersInMile) }

    /// A distance as an angle in degrees; nil if it is negative or NaN.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(checking: degrees * .pi / 180)
    }

    /// A distance as an angle in radians; nil if it is negative or NaN.
    public static func radians(_ radians: Double) -> Distance? { Distance(checking: radians) }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * Self.earthRadiusKilometers }

    /// The distance in miles.
    public func asMiles() -> Double { asKilometers() / Self.kilometersInMile }

    /// The angle in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }
}
