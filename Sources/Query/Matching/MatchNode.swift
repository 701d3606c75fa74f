import HoldfastObjectModel
import HoldfastRows

/// A predicate, or a part of one, made ready for rows of one class.
///
/// Nodes belong to a matcher and, like it, to one thread.
class MatchNode {
    /// Roughly how long an evaluation takes, to try what is cheap first.
    var cost: Int { 0 }

    /// Whether an object satisfies the node.
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

/// Holds when all its parts do, or when one does: all of no parts do, and none of them.
final class ChainNode: MatchNode {
    private let parts: [MatchNode]
    /// Whether one true part decides (OR) rather than one false part (AND).
    private let isOr: Bool
    private let totalCost: Int

    init(_ parts: [MatchNode], isOr: Bool) {
        let costs = parts.map(\.cost)
        // A stable sort: parts of equal cost keep the order of the text.
        self.parts = parts.indices
            .sorted { (costs[$0], $0) < (costs[$1], $1) }.map { parts[$0] }
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
