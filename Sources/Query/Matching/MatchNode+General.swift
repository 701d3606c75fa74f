import ObjectModel
import Rows

/// Any comparison: two paths with each other, ordered lists, quantifiers on both sides.
final class GeneralNode: MatchNode {
    private let left: ComparedSide
    private let right: ComparedSide
    private let relation: ValueRelation
    /// Whether kinds are compared, which equal each other when they overlap.
    private let areKinds: Bool
    private let objects: BoundSource

    init(
        _ left: ComparedSide, _ relation: ValueRelation, _ right: ComparedSide, areKinds: Bool,
        _ objects: BoundSource
    ) {
        self.areKinds = areKinds
        self.objects = objects
        self.left = left
        self.right = right
        self.relation = relation
    }

    override var cost: Int { 300 }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        holds { $0.walk(row, key, source, $1) }
    }

    override func matches(value: UnsafeRawPointer?, _ count: Int) -> Bool {
        let bytes = value.map { UnsafeRawBufferPointer(start: $0, count: count) }
        return holds { $0.walk(value: bytes, objects.source, $1) }
    }

    private func holds(_ walk: (PathWalker, ValueSink) -> Void) -> Bool {
        left.read(walk)
        right.read(walk)
        for a in 0..<left.groupCount {
            for b in 0..<right.groupCount where matches(left.group(a), right.group(b)) {
                return true
            }
        }
        return false
    }

    private func holds(_ a: Int, _ b: Int) -> Bool {
        let value = left.value(a)
        if areKinds {
            return KindSet.overlap(value, right.value(b)) == (relation.comparison == .equal)
        }
        // A null that stands in the query contains nothing, not even null.
        if left.isConstant, value.storage == nil, relation.comparison.isTextual,
            relation.comparison != .like
        {
            return false
        }
        return relation.holds(value, right.value(b))
    }

    private func matches(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        if left.isMany, right.isMany, left.quantifier == nil, right.quantifier == nil {
            guard a.count == b.count else { return relation.comparison == .notEqual }
            return zip(a, b).allSatisfy { holds($0, $1) }
        }
        return (left.quantifier ?? .any).holds(of: a) { l in
            (right.quantifier ?? .any).holds(of: b) { r in holds(l, r) }
        }
    }
}

/// A comparison of two single properties of the object itself.
final class FieldPairNode: MatchNode {
    private let rowClass: RowClass
    private let members: (Int, Int)
    private let relation: ValueRelation

    init(_ rowClass: RowClass, _ left: Int, _ relation: ValueRelation, _ right: Int) {
        self.rowClass = rowClass
        members = (left, right)
        self.relation = relation
    }

    override var cost: Int { 4 }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        relation.holds(value(members.0, row, source), value(members.1, row, source))
    }

    private func value(_ member: Int, _ row: RowView, _ source: any ObjectSource) -> ComparedValue {
        let field = rowClass.field(member, in: row)
        let element = rowClass.members[member].storage.element
        if field.isNull { return ComparedValue(nil, 0, element) }
        if let width = element.fixedByteCount { return ComparedValue(field.slot, width, element) }
        return ComparedValue(text: field.text(source), element)
    }
}
