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

    /// A distance in kilometres; nil for one that is negative or NaN.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(checking: kilometers / earthRadiusKilometers)
    }

    /// A distance in miles; nil for one that is negative or NaN.
    public static func miles(_ miles: Double) -> Distance? { kilometers(miles * kilometersInMile) }

    /// A distance as an angle in degrees; nil for one that is negative or NaN.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(checking: degrees * .pi / 180)
    }

    /// A distance as an angle in radians; nil for one that is negative or NaN.
    public static func radians(_ radians: Double) -> Distance? { Distance(checking: radians) }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * Self.earthRadiusKilometers }

    /// The distance in miles.
    public func asMiles() -> Double { asKilometers() / Self.kilometersInMile }

    /// The angle in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }
}
