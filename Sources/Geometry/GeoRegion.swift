import CHoldfastGeometry
import Synchronization

/// A validated region of the Earth's surface, compiled for point tests. Immutable.
///
/// Edges are great circles. A ring of more than a hemisphere stands for the other side. A point on the
/// border may be in or out, but of polygons that share an edge or a vertex exactly one has it.
///
/// `@unchecked Sendable`: `init` also makes the index that S2 would else make at the first question; after that
/// S2's handle is not changed, and it is freed with the object. The cover lies behind a lock.
package final class GeoRegion: @unchecked Sendable {
    /// The largest number of vertices of a region. Checking a region sorts its edges, which takes more than linear time. The
    /// number of edges that lie close to each other is bounded as well, because each edge is compared with the other edges of its
    /// cell.
    package static let pointCountMax = 10_000
    /// The most rings of a region: each hole is compared with the others.
    package static let ringCountMax = 1_000
    /// About how many cells cover a region: more are nearer to its shape, and more ranges to read.
    private static let cellCountMax = 24

    /// The shape that it was made from.
    package let shape: GeoShape
    private let handle: OpaquePointer
    private let bounds: HFBounds
    /// A hash of the shape, of 128 bits. A query may read it at very many places.
    private let shapeHash: (Int, Int)
    /// Made when it is asked for.
    private let knownCover = Mutex<[ClosedRange<UInt64>]?>(nil)

    /// Latitudes beyond which points are not compared with the bounds: longitudes mean little there.
    private static let polarLatitude = 89.9

    /// Checks a shape. Cost: microseconds for a few vertices, some 30 ms for ``pointCountMax``, and 150 ms if the largest allowed
    /// number of their edges lie close to each other.
    ///
    /// - Throws: ``GeoFault`` with the first fault.
    package init(_ shape: GeoShape) throws(GeoFault) {
        self.shape = shape
        switch shape {
        case .box(let bottomLeft, let topRight):
            guard topRight.longitude - bottomLeft.longitude < 180 else {
                throw GeoFault(
                    "A geoBox spans less than 180 degrees from west to east, because its edges are the "
                        + "shortest lines between its corners; join two boxes with OR, or compare "
                        + "longitudes, such as place.coordinates[0] > -100")
            }
            handle = try Self.polygon([
                [
                    bottomLeft,
                    GeoPoint(longitude: topRight.longitude, latitude: bottomLeft.latitude),
                    topRight,
                    GeoPoint(longitude: bottomLeft.longitude, latitude: topRight.latitude),
                    bottomLeft,
                ]
            ])
        case .circle(let center, let radians):
            try Self.check(center)
            guard radians >= 0, radians.isFinite else {
                throw GeoFault("The radius of a circle must be a non-negative number")
            }
            var fault = HFRegionFault()
            guard
                let handle = HFRegionMakeCircle(center.longitude, center.latitude, radians, &fault)
            else { throw GeoFault("The circle is too large for the memory that is left.") }
            self.handle = handle
        case .polygon(let rings): handle = try Self.polygon(rings)
        }
        bounds = HFRegionBounds(handle)
        shapeHash = (Self.hash(shape, 0), Self.hash(shape, 1))
    }

    private static func hash(_ shape: GeoShape, _ part: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(part)
        hasher.combine(shape)
        return hasher.finalize()
    }

    deinit { HFRegionFree(handle) }

    private static func check(_ point: GeoPoint) throws(GeoFault) {
        guard point.isValid else {
            throw GeoFault(
                "Longitude/latitude is out of bounds, lng: \(point.longitude) "
                    + "lat: \(point.latitude)")
        }
    }

    private static func polygon(_ rings: [[GeoPoint]]) throws(GeoFault) -> OpaquePointer {
        let pointCount = rings.reduce(0) { $0 + $1.count }
        guard pointCount <= Self.pointCountMax, rings.count <= Self.ringCountMax else {
            throw GeoFault(
                "A polygon has at most \(Self.pointCountMax) points in at most "
                    + "\(Self.ringCountMax) rings; this one has \(pointCount) in \(rings.count).",
                isLimit: true)
        }
        if rings.isEmpty { throw GeoFault("Polygon has no rings.") }
        var coordinates: [Double] = []
        coordinates.reserveCapacity(2 * pointCount)
        for ring in rings {
            for point in ring { try check(point) }
            guard let first = ring.first, let last = ring.last else {
                throw GeoFault("Ring has no vertices")
            }
            guard first == last else {
                throw GeoFault(
                    "Ring is not closed, first vertex '\(first)' does not equal last vertex "
                        + "'\(last)'")
            }
            for point in ring.dropLast() { coordinates += [point.longitude, point.latitude] }
        }
        var fault = HFRegionFault()
        guard
            let handle = HFRegionMakePolygon(
                coordinates, rings.map { $0.count - 1 }, rings.count, &fault)
        else { throw GeoFault(message(fault), isLimit: Int(fault.kind) == HFREGION_DENSE) }
        return handle
    }

    private static func message(_ fault: HFRegionFault) -> String {
        let text = withUnsafeBytes(of: fault.text) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return switch Int(fault.kind) {
        case HFREGION_FEW_VERTICES:
            "Ring \(fault.ring) must have at least 3 different vertices, \(fault.vertexCount) unique "
                + "vertices were provided"
        case HFREGION_RING: "Ring \(fault.ring) is not valid: '\(text)'"
        case HFREGION_NOT_A_HOLE:
            "Secondary ring \(fault.ring) not contained by first exterior ring - secondary rings must "
                + "be holes in the first ring"
        case HFREGION_RINGS: "Polygon isn't valid: '\(text)'"
        case HFREGION_TOUCHING:
            "Polygon is not normalized: a hole shares more than one vertex with the ring around it"
        case HFREGION_NESTED: "Polygon interior rings cannot be nested"
        case HFREGION_DENSE:
            "Thousands of its edges are close beside each other, like the teeth of a comb; use fewer points or "
                + "shorter edges"
        case HFREGION_OUT_OF_BOUNDS: "Ring \(fault.ring) has a longitude or latitude out of bounds"
        default: "The polygon is too large for the memory that is left."
        }
    }

    /// Whether a point lies in the region; false for a point that is not valid.
    ///
    /// Cost: 2 ns for a point that is far outside. Near the region, some 100 ns for a circle and some
    /// 400 ns for a polygon of any size, or 10 ns for each edge that shares a cell of the index. Nothing is allocated.
    package func contains(longitude: Double, latitude: Double) -> Bool {
        if latitude.magnitude < Self.polarLatitude {
            guard latitude >= bounds.south, latitude <= bounds.north else { return false }
            let isAcross = bounds.west > bounds.east
            let isEast = longitude >= bounds.west
            let isWest = longitude <= bounds.east
            guard isAcross ? isEast || isWest : isEast && isWest else { return false }
        }
        return HFRegionContains(handle, longitude, latitude)
    }

    /// Returns the leaf cells of all points that may lie in the region, as ranges in order that do not
    /// touch each other; see ``GeoPoint/leafCell``. Cost: some 100 µs the first time.
    package func cover() -> [ClosedRange<UInt64>] {
        knownCover.withLock { known in
            let cover = known ?? makeCover(cellCountMax: Self.cellCountMax)
            known = cover
            return cover
        }
    }

    /// Returns fewer and larger cells than ``cover()``, often of twenty times the region's area. Cost: some 1 µs.
    package func roughCover() -> [ClosedRange<UInt64>] { makeCover(cellCountMax: 0) }

    /// - `cellCountMax`: About how many cells there may be; 0 for those that are found at once.
    private func makeCover(cellCountMax: Int) -> [ClosedRange<UInt64>] {
        // A cover has a few cells more than asked for at most. Should it have many more, all are looked at.
        let capacity = 4 * Self.cellCountMax
        let ranges = [UInt64](unsafeUninitializedCapacity: 2 * capacity) { buffer, count in
            guard let address = buffer.baseAddress else { return }
            count = 2 * HFRegionCover(handle, Int32(cellCountMax), address, capacity)
        }
        if ranges.isEmpty { return [0...UInt64.max] }
        return stride(from: 0, to: ranges.count, by: 2).map { ranges[$0]...ranges[$0 + 1] }
    }
}

/// Regions are equal when they were made of the same shape.
extension GeoRegion: Hashable {
    package static func == (a: GeoRegion, b: GeoRegion) -> Bool { a === b || a.shape == b.shape }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(shapeHash.0)
        hasher.combine(shapeHash.1)
    }
}

/// Why a shape is not a valid region.
package struct GeoFault: Error, Hashable, Sendable {
    /// A sentence for a person, in Realm's words where it has some.
    package var message: String
    /// Whether a bound is exceeded, rather than that the shape makes no sense.
    package var isLimit: Bool

    init(_ message: String, isLimit: Bool = false) {
        self.message = message
        self.isLimit = isLimit
    }
}

/// A region of the Earth's surface as it is stated; nothing is checked yet.
package enum GeoShape: Hashable, Sendable {
    /// The polygon of four corners; its edges are great circles, not parallels.
    case box(bottomLeft: GeoPoint, topRight: GeoPoint)
    /// All that is within an angle, in radians, of a point.
    case circle(center: GeoPoint, radians: Double)
    /// Closed rings of vertices: the outer one, then its holes.
    case polygon([[GeoPoint]])

    package var pointCount: Int {
        switch self {
        case .box: 2
        case .circle: 1
        case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
        }
    }
}

extension GeoShape: CustomStringConvertible {
    /// The shape as it is written in a query.
    package var description: String {
        switch self {
        case .box(let bottomLeft, let topRight): "geoBox(\(bottomLeft), \(topRight))"
        case .circle(let center, let radians): "geoCircle(\(center), \(radians))"
        case .polygon(let rings):
            "geoPolygon("
                + rings.map { ring in
                    "{" + ring.map(\.description).joined(separator: ", ") + "}"
                }.joined(separator: ", ") + ")"
        }
    }
}
