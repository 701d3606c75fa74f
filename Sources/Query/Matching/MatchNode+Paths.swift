import HoldfastRows

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

    override var cost: Int {
        hops.reduce(last.cost) { $0 + ($1.targetClass < 0 ? 2 : 50) }
    }

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

/// A quantified test of whatever values a path leads to.
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
