import HoldfastGeometry
import HoldfastObjectModel

/// Reads a region that comes as an argument, from the members that Realm's own types have, or as a polygon
/// of GeoJSON:
///
///     {"bottomLeft": [lon, lat], "topRight": [lon, lat]}
///     {"center": [lon, lat], "radiusInRadians": r}
///     {"outerRing": [[lon, lat], …], "holes": [[[lon, lat], …], …]}
///     {"type": "Polygon", "coordinates": [[[lon, lat], …], …]}
struct RegionArgument {
    /// The accepted forms, for messages.
    static let forms =
        "write {\"bottomLeft\": [lon, lat], \"topRight\": [lon, lat]}, {\"center\": [lon, lat], "
        + "\"radiusInRadians\": r}, {\"outerRing\": [[lon, lat], ...], \"holes\": [...]}, a polygon of "
        + "GeoJSON, or a text such as \"geoCircle([13.4, 52.5], 0.01)\"."

    private let members: [String: Value]

    init(_ entries: [Value.MapEntry]) {
        members = Dictionary(
            entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The region; nil when the members are those of none.
    var shape: GeoShape? {
        switch Set(members.keys) {
        case ["bottomLeft", "topRight"]:
            guard let bottomLeft = point("bottomLeft"), let topRight = point("topRight") else {
                return nil
            }
            return .box(bottomLeft: bottomLeft, topRight: topRight)
        case ["center", "radiusInRadians"]:
            guard let center = point("center"), let value = members["radiusInRadians"],
                let radians = Self.number(value)
            else { return nil }
            return .circle(center: center, radians: radians)
        case ["outerRing"], ["outerRing", "holes"]:
            guard let outer = members["outerRing"].flatMap(Self.ring),
                let holes = Self.rings(members["holes"] ?? .list([]))
            else { return nil }
            return .polygon([outer] + holes)
        case ["type", "coordinates"]:
            guard members["type"] == .string("Polygon") else { return nil }
            return members["coordinates"].flatMap(Self.rings).map { .polygon($0) }
        default: return nil
        }
    }

    private func point(_ name: String) -> GeoPoint? { members[name].flatMap(Self.point) }

    private static func point(_ value: Value) -> GeoPoint? {
        guard case .list(let values) = value, values.count == 2 || values.count == 3,
            let longitude = number(values[0]), let latitude = number(values[1]),
            values.count == 2 || number(values[2]) != nil
        else { return nil }
        return GeoPoint(longitude: longitude, latitude: latitude)
    }

    private static func ring(_ value: Value) -> [GeoPoint]? { list(value, point) }

    private static func rings(_ value: Value) -> [[GeoPoint]]? { list(value, ring) }

    private static func list<Item>(_ value: Value, _ item: (Value) -> Item?) -> [Item]? {
        guard case .list(let values) = value else { return nil }
        let items = values.compactMap(item)
        return items.count == values.count ? items : nil
    }

    /// Returns a number of any type as a double; nil for another value.
    static func number(_ value: Value) -> Double? {
        switch value {
        case .int(let number): Double(number)
        case .double(let number): number
        case .float(let number): Double(number)
        case .decimal(let number): Double(number.description)
        default: nil
        }
    }
}
