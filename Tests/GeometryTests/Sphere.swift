import Geometry
import Glibc

/// Plain mathematics of the sphere, to compare regions with: no library, no index, no cells.
struct Vector {
    var x: Double
    var y: Double
    var z: Double

    init(_ x: Double, _ y: Double, _ z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    init(_ point: GeoPoint) {
        let (longitude, latitude) = (point.longitude * .pi / 180, point.latitude * .pi / 180)
        self.init(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    var length: Double { (x * x + y * y + z * z).squareRoot() }

    static func dot(_ a: Vector, _ b: Vector) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

    static func cross(_ a: Vector, _ b: Vector) -> Vector {
        Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    /// The angle between two directions, in radians; exact for small and large ones.
    static func angle(_ a: Vector, _ b: Vector) -> Double {
        atan2(cross(a, b).length, dot(a, b))
    }
}

/// A polygon of which every vertex is less than a right angle from `center`.
struct PlainRing {
    let center: Vector
    let vertices: [Vector]

    init(_ ring: [GeoPoint], around center: GeoPoint) {
        self.center = Vector(center)
        vertices = ring.dropLast().map { Vector($0) }
    }

    /// Whether a point lies in the polygon: whether its edges, seen from there, go once around.
    func contains(_ point: GeoPoint) -> Bool {
        let p = Vector(point)
        guard Vector.angle(p, center) < .pi / 2 else { return false }
        var sum = 0.0
        for (index, vertex) in vertices.enumerated() {
            let next = vertices[(index + 1) % vertices.count]
            // The angle at p between the great circles to both ends of the edge, with its sign.
            let (a, b) = (Vector.cross(p, vertex), Vector.cross(p, next))
            sum += atan2(Vector.dot(p, Vector.cross(a, b)), Vector.dot(a, b))
        }
        return abs(sum) > .pi
    }

    /// How far a point is from the nearest edge, in radians; too little at most.
    func distanceToBorder(_ point: GeoPoint) -> Double {
        let p = Vector(point)
        var least = Double.infinity
        for (index, vertex) in vertices.enumerated() {
            let normal = Vector.cross(vertex, vertices[(index + 1) % vertices.count])
            least = min(least, abs(asin(Vector.dot(p, normal) / normal.length)))
        }
        return least
    }
}

extension GeoPoint {
    /// The point at a distance, in radians, in a direction from this one.
    func moved(_ distance: Double, bearing: Double) -> GeoPoint {
        let (longitude, latitude) = (self.longitude * .pi / 180, self.latitude * .pi / 180)
        let north = asin(
            sin(latitude) * cos(distance) + cos(latitude) * sin(distance) * cos(bearing))
        let east =
            longitude
            + atan2(
                sin(bearing) * sin(distance) * cos(latitude),
                cos(distance) - sin(latitude) * sin(north))
        return GeoPoint(
            longitude: remainder(east * 180 / .pi, 360), latitude: north * 180 / .pi)
    }

    /// A point anywhere, everywhere alike.
    static func random(_ random: inout some RandomNumberGenerator) -> GeoPoint {
        GeoPoint(
            longitude: .random(in: -180...180, using: &random),
            latitude: asin(.random(in: -1...1, using: &random)) * 180 / .pi)
    }
}
