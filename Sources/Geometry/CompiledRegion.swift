import CGeometry
import Synchronization

/// A region in S2's form.
///
/// `@unchecked Sendable`: the handle is never changed after `init`, which also makes the index that S2
/// would else make at the first question, and freed when nobody has the object any more; the cover lies
/// behind a lock.
final class CompiledRegion: @unchecked Sendable {
    private let handle: OpaquePointer
    private let bounds: HFBounds
    /// Made when it is asked for.
    private let knownCover = Mutex<[ClosedRange<UInt64>]?>(nil)

    /// Latitudes beyond which points are not compared with the bounds: longitudes mean little there.
    private static let polarLatitude = 89.9

    init(_ shape: GeoShape) throws(GeoFault) {
        switch shape {
        case .box(let bottomLeft, let topRight):
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
                let handle = HFRegionMakeCircle(
                    center.longitude, center.latitude, radians, &fault)
            else { throw GeoFault("The circle is too large for the memory that is left.") }
            self.handle = handle
        case .polygon(let rings): handle = try Self.polygon(rings)
        }
        bounds = HFRegionBounds(handle)
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
        guard pointCount <= GeoRegion.pointCountMax, rings.count <= GeoRegion.ringCountMax else {
            throw GeoFault(
                "A polygon has at most \(GeoRegion.pointCountMax) points in at most "
                    + "\(GeoRegion.ringCountMax) rings; this one has \(pointCount) in \(rings.count).",
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
        else { throw GeoFault(message(fault)) }
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
        case HFREGION_OUT_OF_BOUNDS: "Ring \(fault.ring) has a longitude or latitude out of bounds"
        default: "The polygon is too large for the memory that is left."
        }
    }

    @inline(__always)
    func contains(longitude: Double, latitude: Double) -> Bool {
        if latitude.magnitude < Self.polarLatitude {
            guard latitude >= bounds.south, latitude <= bounds.north else { return false }
            let isAcross = bounds.west > bounds.east
            let isEast = longitude >= bounds.west
            let isWest = longitude <= bounds.east
            guard isAcross ? isEast || isWest : isEast && isWest else { return false }
        }
        return HFRegionContains(handle, longitude, latitude)
    }

    func cover() -> [ClosedRange<UInt64>] {
        knownCover.withLock { known in
            let cover = known ?? makeCover(cellCountMax: GeoRegion.cellCountMax)
            known = cover
            return cover
        }
    }

    func roughCover() -> [ClosedRange<UInt64>] { makeCover(cellCountMax: 0) }

    /// - `cellCountMax`: About how many cells there may be; 0 for those that are found at once.
    private func makeCover(cellCountMax: Int) -> [ClosedRange<UInt64>] {
        // A cover has a few cells more than asked for at most. Should it have many more, all are
        // looked at.
        let capacity = 4 * GeoRegion.cellCountMax
        let ranges = [UInt64](unsafeUninitializedCapacity: 2 * capacity) { buffer, count in
            guard let address = buffer.baseAddress else { return }
            count = 2 * HFRegionCover(handle, Int32(cellCountMax), address, capacity)
        }
        if ranges.isEmpty { return [0...UInt64.max] }
        return stride(from: 0, to: ranges.count, by: 2).map { ranges[$0]...ranges[$0 + 1] }
    }
}
