import HoldfastGeometry
import HoldfastObjectModel
import HoldfastRows

/// A predicate, or a part of one, made ready for rows of one class.
///
/// Nodes belong to a matcher and, like it, to one thread.
class MatchNode {
    /// The rough time of an evaluation, so that cheap tests come first.
    var cost: Int { 0 }

    func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool { false }

    /// Whether a value satisfies the node, where values are filtered; nil bytes for null.
    func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool { false }
}

/// Holds when its part does not.
final class NotNode: MatchNode {
    private let part: MatchNode

    init(_ part: MatchNode) { self.part = part }

    override var cost: Int { part.cost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        !part.matches(row, key, source)
    }

    override func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool {
        !part.matches(value: value, count)
    }
}

/// Is true if all its parts are, or if one is: all of no parts are true, and one of no parts is false.
final class ChainNode: MatchNode {
    private let parts: [MatchNode]
    /// Whether one true part decides (OR) rather than one false part (AND).
    private let isOr: Bool
    private let totalCost: Int

    init(_ parts: [MatchNode], isOr: Bool) {
        let costs = parts.map(\.cost)
        // A stable sort: parts of equal cost keep the order of the text.
        self.parts = parts.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }.map { parts[$0] }
        self.isOr = isOr
        totalCost = costs.reduce(0, +)
    }

    override var cost: Int { totalCost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        for part in parts where part.matches(row, key, source) == isOr { return isOr }
        return !isOr
    }

    override func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool {
        for part in parts where part.matches(value: value, count) == isOr { return isOr }
        return !isOr
    }
}

/// A test of a single property of the object itself.
final class FieldNode: MatchNode {
    private let rowClass: RowClass
    private let member: Int
    private let byteCount: Int
    private let test: ValueTest

    init(_ rowClass: RowClass, _ member: Int, _ test: ValueTest) {
        self.rowClass = rowClass
        self.member = member
        byteCount = rowClass.members[member].storage.element.fixedByteCount ?? 0
        self.test = test
    }

    override var cost: Int { (byteCount > 0 ? 1 : 3) + test.cost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        let field = rowClass.field(member, in: row)
        if field.isNull { return test.nullResult }
        if byteCount > 0 { return test.test(field.slot, byteCount) }
        let heap = field.text(source)
        return test.holds(heap.baseAddress, heap.count)
    }
}

/// A test of the value itself, where values are filtered.
final class SubjectNode: MatchNode {
    private let test: ValueTest

    init(_ test: ValueTest) { self.test = test }

    override func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool {
        test.holds(value, count)
    }
}

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
        // The quantifier does not count a null as a point.
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

/// A test of a property of another object, behind to-one links and embedded objects.
final class FollowNode: MatchNode {
    private struct Hop {
        var rowClass: RowClass
        var member: Int
        /// The class that a link leads to; −1 for an embedded object.
        var targetClass: Int
    }

    private let hops: [Hop]
    private let last: FieldNode
    private let nullResult: Bool

    /// Makes a node, if all steps are plain links and embedded objects.
    init?(_ path: ValuePath, member: Int, _ test: ValueTest, schema: RowSchema) {
        guard path.isToOne else { return nil }
        hops = path.steps.map { step in
            Hop(
                rowClass: schema.classes[step.fromClass], member: step.member,
                targetClass: step.kind == .link ? step.toClass : -1)
        }
        last = FieldNode(schema.classes[path.lastClass], member, test)
        nullResult = test.nullResult
    }

    override var cost: Int { hops.reduce(last.cost) { $0 + ($1.targetClass < 0 ? 2 : 50) } }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        var (row, key) = (row, key)
        for hop in hops {
            let field = hop.rowClass.field(hop.member, in: row)
            if field.isNull { return nullResult }
            if hop.targetClass < 0 {
                guard let embedded = RowView(field.heap) else { return nullResult }
                row = embedded
            } else {
                key = field.load(UInt64.self)
                guard let target = source.row(classIndex: hop.targetClass, key: key) else {
                    return nullResult
                }
                row = target
            }
        }
        return last.matches(row, key, source)
    }
}

/// A quantified test of all values that a path leads to.
final class PathNode: MatchNode {
    private let walker: PathWalker
    private let sink: QuantifiedSink
    private let pathCost: Int
    private let objects: BoundSource

    init(
        _ path: ValuePath, _ quantifier: Quantifier, _ test: ValueTest, _ walker: PathWalker,
        _ objects: BoundSource
    ) {
        self.objects = objects
        self.walker = walker
        sink = QuantifiedSink(test, quantifier)
        pathCost = path.steps.isEmpty ? 20 : 200
    }

    override var cost: Int { pathCost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        sink.reset()
        walker.walk(row, key, source, sink)
        return sink.result
    }

    override func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool {
        sink.reset()
        let bytes = value.map { UnsafeRawBufferPointer(start: $0, count: count) }
        walker.walk(value: bytes, objects.source, sink)
        return sink.result
    }
}
