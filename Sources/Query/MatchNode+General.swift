import ObjectModel
import Rows

/// Keeps the values that a path leads to, with where each group ends.
final class CollectingSink: ValueSink {
    private let storage: ElementStorage
    private(set) var values: [ComparedValue] = []
    private(set) var groupEnds: [Int] = []

    init(_ storage: ElementStorage) { self.storage = storage }

    /// Forgets the last object's values, but keeps the memory.
    func reset() {
        groupCount = 0
        values.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        values.append(ComparedValue(address, count, storage))
        return true
    }

    override func endGroup() -> Bool {
        groupEnds.append(values.count)
        return true
    }
}

/// One side of a ``GeneralNode``.
final class ComparedSide {
    private let walker: PathWalker?
    private let sink: CollectingSink
    private let constants: [ComparedValue]
    /// Objects among the constants, with their places.
    private let objects: [(place: Int, object: ObjectConstant)]
    private let texts: [TextConstant]
    /// Whether the other side is of type `mixed`, so that objects count with their class.
    private let isMixed: Bool
    let isMany: Bool
    let quantifier: Quantifier?

    /// Makes a side that reads a path.
    init(_ path: ValuePath, _ quantifier: Quantifier?, schema: RowSchema) {
        walker = PathWalker(path, schema: schema)
        sink = CollectingSink(path.type.storage)
        constants = []
        objects = []
        texts = []
        isMixed = false
        isMany = path.isMany
        self.quantifier = quantifier
    }

    /// Makes a side of constants.
    ///
    /// - `isMixed`: Whether the other side is of type `mixed`.
    init(
        _ values: [Value], _ quantifier: Quantifier?, isMany: Bool, isMixed: Bool,
        _ maker: inout ValueTestMaker
    ) {
        walker = nil
        sink = CollectingSink(.int)
        var constants: [ComparedValue] = []
        var objects: [(place: Int, object: ObjectConstant)] = []
        var texts: [TextConstant] = []
        for (place, value) in values.enumerated() {
            let text = TextConstant(value)
            if let text { texts.append(text) }
            constants.append(ComparedValue(value, text: text))
            if case .link(let className, let key) = value,
                let object = maker.object(className, key)
            {
                objects.append((place, object))
            }
        }
        self.constants = constants
        self.objects = objects
        self.texts = texts
        self.isMixed = isMixed
        self.isMany = isMany
        self.quantifier = quantifier
    }

    /// Reads the values for one object.
    func read(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) {
        guard let walker else { return }
        sink.reset()
        walker.walk(row, key, source, sink)
    }

    /// Whether its values come from the query itself.
    var isConstant: Bool { walker == nil }

    var groupCount: Int { walker == nil ? 1 : sink.groupEnds.count }

    /// The values of one group.
    func group(_ index: Int) -> Range<Int> {
        if walker == nil { return 0..<constants.count }
        return (index == 0 ? 0 : sink.groupEnds[index - 1])..<sink.groupEnds[index]
    }

    /// The value at a place.
    func value(_ place: Int) -> ComparedValue {
        if walker != nil { return sink.values[place] }
        for (objectPlace, object) in objects where objectPlace == place {
            return isMixed
                ? ComparedValue(mixedObject: object) : ComparedValue(object: object.key)
        }
        return constants[place]
    }
}

/// Any comparison: two paths with each other, ordered lists, quantifiers on both sides.
final class GeneralNode: MatchNode {
    private let left: ComparedSide
    private let right: ComparedSide
    private let comparison: ComparisonOperator
    private let ignoresCase: Bool

    init(
        _ left: ComparedSide, _ comparison: ComparisonOperator, _ right: ComparedSide,
        ignoresCase: Bool
    ) {
        self.left = left
        self.right = right
        self.comparison = comparison
        self.ignoresCase = ignoresCase
    }

    override var cost: Int { 300 }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        left.read(row, key, source)
        right.read(row, key, source)
        for a in 0..<left.groupCount {
            for b in 0..<right.groupCount where matches(left.group(a), right.group(b)) {
                return true
            }
        }
        return false
    }

    private func holds(_ a: Int, _ b: Int) -> Bool {
        let value = left.value(a)
        // A null that stands in the query contains nothing, not even null.
        if left.isConstant, value.storage == nil, comparison.isTextual, comparison != .like {
            return false
        }
        return ComparedValue.holds(
            value, comparison, right.value(b), ignoresCase: ignoresCase)
    }

    private func matches(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        if left.isMany, right.isMany, left.quantifier == nil, right.quantifier == nil {
            guard a.count == b.count else { return comparison == .notEqual }
            return zip(a, b).allSatisfy { holds($0, $1) }
        }
        return Self.combine(a, left.quantifier) { l in
            Self.combine(b, right.quantifier) { r in holds(l, r) }
        }
    }

    private static func combine(
        _ places: Range<Int>, _ quantifier: Quantifier?, _ holds: (Int) -> Bool
    ) -> Bool {
        switch quantifier ?? .any {
        case .any: places.contains(where: holds)
        case .all: places.allSatisfy(holds)
        case .none: !places.contains(where: holds)
        }
    }
}

/// A comparison of two single properties of the object itself.
final class FieldPairNode: MatchNode {
    private let rowClass: RowClass
    private let members: (Int, Int)
    private let comparison: ComparisonOperator
    private let ignoresCase: Bool

    init(
        _ rowClass: RowClass, _ left: Int, _ comparison: ComparisonOperator, _ right: Int,
        ignoresCase: Bool
    ) {
        self.rowClass = rowClass
        members = (left, right)
        self.comparison = comparison
        self.ignoresCase = ignoresCase
    }

    override var cost: Int { 4 }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        ComparedValue.holds(
            value(members.0, row, source), comparison, value(members.1, row, source),
            ignoresCase: ignoresCase)
    }

    private func value(_ member: Int, _ row: RowView, _ source: any ObjectSource) -> ComparedValue {
        let field = rowClass.field(member, in: row)
        let element = rowClass.members[member].storage.element
        if field.isNull { return ComparedValue(nil, 0, element) }
        if let width = element.fixedByteCount { return ComparedValue(field.slot, width, element) }
        return ComparedValue(text: field.text(source), element)
    }
}
