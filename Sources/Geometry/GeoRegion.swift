import CGeometry

/// A validated region of the Earth's surface, compiled for point tests. Immutable.
///
/// Edges are great circles. A ring of more than a hemisphere stands for the other side. A point on the
/// border may be in or out, but of polygons that share an edge or a vertex exactly one has it.
package struct GeoRegion: Sendable {
    /// The most vertices of a region: checking one takes the more than linear time of a sort.
    package static let pointCountMax = 10_000
    /// The most rings of a region: each hole is compared with the others.
    package static let ringCountMax = 1_000
    /// About how many cells cover a region: more are nearer to its shape, and more ranges to read.
    static let cellCountMax = 24

    /// The shape that it was made from.
    package let shape: GeoShape
    private let compiled: CompiledRegion

    /// Checks a shape. Cost: microseconds for a few vertices, some 10 ms for ``pointCountMax``.
    ///
    /// - Throws: ``GeoFault`` with the first fault.
    package init(_ shape: GeoShape) throws(GeoFault) {
        self.shape = shape
        compiled = try CompiledRegion(shape)
    }

    /// Whether a point lies in the region; false for a point that is not valid.
    ///
    /// Cost: 2 ns for a point that is far outside; near the region some 100 ns for a circle, and some
    /// 400 ns for a polygon whatever its size. Nothing is allocated.
    @inline(__always)
    package func contains(longitude: Double, latitude: Double) -> Bool {
        compiled.contains(longitude: longitude, latitude: latitude)
    }

    /// The leaf cells of all points that may lie in the region, as ranges in order that do not touch
    /// each other; see ``GeoPoint/leafCell``. Cost: some 100 µs the first time.
    package func cover() -> [ClosedRange<UInt64>] { compiled.cover() }

    /// As ``cover()``, but a few large cells, often of twenty times the region's area. Cost: some 1 µs.
    package func roughCover() -> [ClosedRange<UInt64>] { compiled.roughCover() }
}

/// Regions are equal when they were made of the same shape.
extension GeoRegion: Hashable {
    package static func == (a: GeoRegion, b: GeoRegion) -> Bool { a.shape == b.shape }

    package func hash(into hasher: inout Hasher) { hasher.combine(shape) }
}
