import Glibc

/// A place on the Earth in degrees, and plain mathematics to compare regions with: no library, no index,
/// no cells.
package struct Place: Hashable, Sendable {
    /// East of Greenwich.
    package var longitude: Double
    /// North of the equator.
    package var latitude: Double

    /// Names a place.
    package init(_ longitude: Double, _ latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }

    /// Returns a place anywhere, everywhere alike.
    package static func random(_ random: inout some RandomNumberGenerator) -> Place {
        Place(
            .random(in: -180...180, using: &random),
            asin(.random(in: -1...1, using: &random)) * 180 / .pi)
    }

    /// Returns the place at a distance, in radians, in a direction from this one.
    package func moved(_ distance: Double, bearing: Double) -> Place {
        let (longitude, latitude) = (self.longitude * .pi / 180, self.latitude * .pi / 180)
        let north = asin(
            sin(latitude) * cos(distance) + cos(latitude) * sin(distance) * cos(bearing))
        let east =
            longitude
            + atan2(
                sin(bearing) * sin(distance) * cos(latitude),
                cos(distance) - sin(latitude) * sin(north))
        return Place(remainder(east * 180 / .pi, 360), north * 180 / .pi)
    }

    /// Returns the angle to another place, in radians; exact for small and large ones.
    package func angle(to other: Place) -> Double { Vector.angle(vector, other.vector) }

    fileprivate var vector: Vector {
        let (longitude, latitude) = (self.longitude * .pi / 180, self.latitude * .pi / 180)
        return Vector(
            x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
    }
}

private struct Vector {
    var x: Double
    var y: Double
    var z: Double

    var length: Double { (x * x + y * y + z * z).squareRoot() }

    static func dot(_ a: Vector, _ b: Vector) -> Double { a.x * b.x + a.y * b.y + a.z * b.z }

    static func cross(_ a: Vector, _ b: Vector) -> Vector {
        Vector(
            x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
    }

    static func angle(_ a: Vector, _ b: Vector) -> Double {
        atan2(cross(a, b).length, dot(a, b))
    }
}

/// A polygon of great circles of which every vertex is less than a right angle from a centre.
package struct PlainRing: Sendable {
    private let center: Place
    private let vertices: [Vector]

    /// Makes a ring; the last vertex closes it and is the first again.
    package init(_ ring: [Place], around center: Place) {
        self.center = center
        vertices = ring.dropLast().map(\.vector)
    }

    /// Whether a place lies in the polygon: whether its edges, seen from there, go once around.
    package func contains(_ place: Place) -> Bool {
        guard place.angle(to: center) < .pi / 2 else { return false }
        let p = place.vector
        var sum = 0.0
        for (index, vertex) in vertices.enumerated() {
            let next = vertices[(index + 1) % vertices.count]
            // The angle at p between the great circles to both ends of the edge, with its sign.
            let (a, b) = (Vector.cross(p, vertex), Vector.cross(p, next))
            sum += atan2(Vector.dot(p, Vector.cross(a, b)), Vector.dot(a, b))
        }
        return abs(sum) > .pi
    }

    /// Returns the distance of a place from the nearest edge, in radians; too little at most.
    package func distanceToBorder(_ place: Place) -> Double {
        let p = place.vector
        var least = Double.infinity
        for (index, vertex) in vertices.enumerated() {
            let normal = Vector.cross(vertex, vertices[(index + 1) % vertices.count])
            least = min(least, abs(asin(Vector.dot(p, normal) / normal.length)))
        }
        return least
    }
}
