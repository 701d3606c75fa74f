import Geometry
import Rows

/// Whether the point in a single property of the object itself lies in a region.
final class PointNode: MatchNode {
    private let rowClass: RowClass
    private let member: Int
    private let pointClass: RowClass
    private let region: GeoRegion

    init(_ rowClass: RowClass, _ member: Int, _ pointClass: RowClass, _ region: GeoRegion) {
        self.rowClass = rowClass
        self.member = member
        self.pointClass = pointClass
        self.region = region
    }

    override var cost: Int { 20 }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        guard let embedded = rowClass.embedded(member, in: row),
            let point = pointClass.point(in: embedded, source)
        else { return false }
        return region.contains(longitude: point.longitude, latitude: point.latitude)
    }
}

/// Whether points that a path leads to lie in a region: as many as a quantifier says.
final class RegionNode: MatchNode {
    private let walker: PathWalker
    private let sink: RegionSink
    private let pathCost: Int

    init(_ condition: RegionCondition, _ pointClass: RowClass, schema: RowSchema) {
        walker = PathWalker(condition.path, schema: schema)
        sink = RegionSink(pointClass, condition.region, condition.quantifier ?? .any)
        pathCost = condition.path.steps.isEmpty ? 50 : 250
    }

    override var cost: Int { pathCost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        sink.begin(source)
        defer { sink.source = nil }
        walker.walk(row, key, source, sink)
        return sink.isSatisfied
    }
}

/// Tests points as they come and stops as soon as the quantifier is decided.
final class RegionSink: ValueSink {
    private let pointClass: RowClass
    private let region: GeoRegion
    private let quantifier: Quantifier
    /// Reads out-of-line coordinates.
    var source: (any ObjectSource)?
    private(set) var isSatisfied = false

    init(_ pointClass: RowClass, _ region: GeoRegion, _ quantifier: Quantifier) {
        self.pointClass = pointClass
        self.region = region
        self.quantifier = quantifier
    }

    /// Forgets the last object.
    func begin(_ source: any ObjectSource) {
        self.source = source
        groupCount = 0
        isSatisfied = quantifier != .any
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        // A null is none of the points that the quantifier speaks of.
        guard let address else { return true }
        let isInside = contains(UnsafeRawBufferPointer(start: address, count: count))
        switch quantifier {
        case .any:
            isSatisfied = isSatisfied || isInside
            return !isInside
        case .all:
            isSatisfied = isSatisfied && isInside
            return isInside
        case .none:
            isSatisfied = isSatisfied && !isInside
            return !isInside
        }
    }

    private func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source, let row = RowView(bytes),
            let point = pointClass.point(in: row, source)
        else { return false }
        return region.contains(longitude: point.longitude, latitude: point.latitude)
    }
}
