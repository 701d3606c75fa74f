import HoldfastGeometry
import HoldfastRows

/// Whether points that a path leads to lie in a region: as many as a quantifier says.
final class RegionNode: MatchNode {
    private let walker: PathWalker
    private let test: RegionTest
    private let sink: QuantifiedSink
    private let pathCost: Int

    init(_ condition: RegionCondition, schema: RowSchema) {
        walker = PathWalker(condition.path, schema: schema)
        test = RegionTest(condition, schema: schema)
        sink = QuantifiedSink(test, condition.quantifier ?? .any)
        pathCost = condition.path.steps.isEmpty ? 50 : 250
    }

    override var cost: Int { pathCost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        test.source = source
        defer { test.source = nil }
        sink.reset()
        walker.walk(row, key, source, sink)
        return sink.result
    }
}

/// Embedded points that lie in a region.
final class RegionTest: ValueTest {
    private let pointClass: RowClass
    private let region: GeoRegion
    /// Reads out-of-line coordinates.
    var source: (any ObjectSource)?
    /// The steps that a point takes: a look at each edge, at worst.
    private let stepCount: Int

    /// So many edges are looked at in a step.
    private static let edgesOfStep = 16

    init(_ condition: RegionCondition, schema: RowSchema) {
        pointClass = schema.classes[condition.pointClass]
        region = condition.region
        stepCount = region.shape.pointCount / Self.edgesOfStep
        // A null is none of the points that the quantifier speaks of.
        super.init(nullResult: condition.quantifier == .all)
    }

    override var cost: Int { region.shape.pointCount }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        guard let source, source.budget.spend(1 + stepCount),
            let row = RowView(UnsafeRawBufferPointer(start: address, count: count)),
            let point = pointClass.point(in: row, source)
        else { return false }
        return region.contains(longitude: point.longitude, latitude: point.latitude)
    }
}
