import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// A condition on one stored value, made for one type and one constant.
///
/// Tests belong to a matcher and, like it, to one thread; those that ``ColumnKernel`` takes keep nothing between calls.
class ValueTest {
    /// Roughly how long a test takes, in the units of ``MatchNode/cost``.
    var cost: Int { 0 }

    /// Whether null satisfies the condition.
    final let nullResult: Bool

    init(nullResult: Bool) { self.nullResult = nullResult }

    /// Whether the value in the `count` bytes at `address` satisfies the condition.
    func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool { nullResult }

    /// Whether a value, or null at nil, satisfies the condition.
    @inline(__always)
    final func holds(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        guard let address else { return nullResult }
        return test(address, count)
    }

    /// Whether the answer for any element of a collection, or of a part of one, is `answer`. Cost: the elements up to that one.
    func answers(_ answer: Bool, forAnyOf part: CollectionView) -> Bool {
        (0..<part.count).contains { index in
            let bytes = part.isNull(index) ? nil : part.bytes(index)
            return holds(bytes?.baseAddress, bytes?.count ?? 0) == answer
        }
    }
}

/// The same answer for every value that is not null.
final class FixedTest: ValueTest {
    let result: Bool

    init(_ result: Bool, nullResult: Bool) {
        self.result = result
        super.init(nullResult: nullResult)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool { result }
}

/// Values of a fixed width between two bounds in the order of their ordinals (NaN least), or outside them.
final class OrdinalRangeTest: ValueTest {
    let storage: ElementStorage
    let range: ClosedRange<UInt128>
    let isInside: Bool

    init(
        _ range: ClosedRange<UInt128>, _ storage: ElementStorage, isInside: Bool, nullResult: Bool
    ) {
        self.storage = storage
        self.range = range
        self.isInside = isInside
        super.init(nullResult: nullResult)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let ordinal = Ordinal.stored(address, storage)
        return (ordinal >= range.lowerBound && ordinal <= range.upperBound) == isInside
    }
}

/// Values of fixed width that are one of several.
final class OrdinalSetTest: ValueTest {
    let storage: ElementStorage
    let ordinals: [UInt128]

    init(_ ordinals: [UInt128], _ storage: ElementStorage, nullResult: Bool) {
        self.storage = storage
        self.ordinals = ordinals.sorted()
        super.init(nullResult: nullResult)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let wanted = Ordinal.stored(address, storage)
        return ordinals.hasElement { $0 < wanted ? -1 : $0 == wanted ? 0 : 1 }
    }
}

/// Links to one object, or to others. The object's key is looked up when the matcher is bound to a
/// snapshot; an object that does not exist equals nothing.
final class LinkTest: ValueTest {
    let object: ObjectConstant
    let isEqual: Bool

    init(_ object: ObjectConstant, isEqual: Bool) {
        self.object = object
        self.isEqual = isEqual
        super.init(nullResult: !isEqual)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        guard let key = object.key else { return !isEqual }
        return (address.storedLink == key) == isEqual
    }

    // Rules ask lists for a member of theirs: thousands of links for one answer.
    override func answers(_ answer: Bool, forAnyOf part: CollectionView) -> Bool {
        guard let key = object.key, part.element == .link else {
            return super.answers(answer, forAnyOf: part)
        }
        return (0..<part.count).contains { index in
            let result =
                part.isNull(index)
                ? nullResult : (part.pointer(index).storedLink == key) == isEqual
            return result == answer
        }
    }
}

/// Several conditions that a value has to satisfy as a quantifier says.
final class ListTest: ValueTest {
    let tests: [ValueTest]
    private let quantifier: Quantifier
    private let bound: BoundSource

    /// So many tests are made without a budget.
    static let fewCountMax = 32

    init(_ tests: [ValueTest], _ quantifier: Quantifier, _ bound: BoundSource) {
        self.tests = tests
        self.bound = bound
        self.quantifier = quantifier
        super.init(nullResult: quantifier.holds(of: tests) { $0.nullResult })
    }

    override var cost: Int { tests.reduce(0) { $0 + 1 + $1.cost } }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        // A few are what columns are tested with, by several threads.
        tests.count <= Self.fewCountMax
            ? quantifier.holds(of: tests) { $0.test(address, count) }
            : quantifier.holds(of: tests, within: bound.budget) { $0.test(address, count) }
    }
}

extension Array {
    /// Whether one of the elements, which stand in an order, is the one that is looked for. Cost: a comparison
    /// for each halving.
    ///
    /// - `order`: Of an element and that one: negative, 0 or positive.
    @inline(__always)
    func hasElement(_ order: (Element) -> Int) -> Bool {
        let position = partitionPoint(count) { order(self[$0]) < 0 }
        return position < count && order(self[position]) == 0
    }
}
