import Glibc
import HoldfastObjectModel

/// A region of the Earth. The tests' points lie well inside or outside.
enum PlainRegion {
    /// A centre and a radius in radians.
    case circle(Double, Double, Double)
    /// Two corners: the lower left and the upper right one.
    case box(Double, Double, Double, Double)

    /// Whether an embedded object is a point in the region.
    func contains(_ object: PlainObject) -> Bool {
        guard case .value(.string(let type))? = object.content["type"],
            type.lowercased() == "point",
            case .values(let coordinates)? = object.content["coordinates"], coordinates.count >= 2,
            case .double(let longitude) = coordinates[0],
            case .double(let latitude) = coordinates[1],
            abs(longitude) <= 180, abs(latitude) <= 90
        else { return false }
        switch self {
        case .circle(let x, let y, let radius):
            return Self.distance(x, y, longitude, latitude) < radius
        case .box(let left, let bottom, let right, let top):
            return left < longitude && longitude < right && bottom < latitude && latitude < top
        }
    }

    /// The angle between two points in radians.
    static func distance(_ x: Double, _ y: Double, _ u: Double, _ v: Double) -> Double {
        let degree = Double.pi / 180
        let (a, b) = (sin((v - y) * degree / 2), sin((u - x) * degree / 2))
        return 2 * asin(sqrt(a * a + cos(y * degree) * cos(v * degree) * b * b))
    }

    /// How it is written.
    var text: String {
        switch self {
        case .circle(let x, let y, let radius): "geoCircle([\(x), \(y)], \(radius))"
        case .box(let left, let bottom, let right, let top):
            "geoBox([\(left), \(bottom)], [\(right), \(top)])"
        }
    }
}
