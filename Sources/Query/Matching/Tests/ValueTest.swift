import Glibc
import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

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
                part.isNull(index) ? nullResult : (part.pointer(index).storedLink == key) == isEqual
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
        // Columns are tested with a few of them, by several threads.
        tests.count <= Self.fewCountMax
            ? quantifier.holds(of: tests) { $0.test(address, count) }
            : quantifier.holds(of: tests, within: bound.budget) { $0.test(address, count) }
    }
}

extension Array {
    /// Whether one of the elements, which stand in an order, is the one that is looked for. Cost: a comparison for each halving.
    ///
    /// - `order`: Of an element and that one: negative, 0 or positive.
    @inline(__always)
    func hasElement(_ order: (Element) -> Int) -> Bool {
        let position = partitionPoint(count) { order(self[$0]) < 0 }
        return position < count && order(self[position]) == 0
    }
}

/// Strings, or strings among values of kind `mixed`, that match a regular expression as a whole.
final class PatternTest: ValueTest {
    private let pattern: TextPattern
    /// Takes accents away where they do not count.
    private let folder: TextFolder?
    private let storage: ElementStorage
    private let bound: BoundSource

    /// Makes a test; nil for an invalid regular expression, which the checker refuses.
    init?(_ text: String, _ storage: ElementStorage, _ relation: Relation, _ bound: BoundSource) {
        // One value may take as long as thousands of others, so that the job has to yield to other jobs meanwhile.
        let mayContinue = { [bound] in bound.budget.checkLimits() }
        guard let pattern = try? relation.pattern(text, mayContinue) else { return nil }
        self.pattern = pattern
        folder = relation.ignoresAccents ? TextFolder(ignoresCase: false) : nil
        self.storage = storage
        self.bound = bound
        super.init(nullResult: false)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let budget = bound.budget
        guard budget.checkLimits() else { return false }
        var text = UnsafeRawBufferPointer(start: address, count: count)
        if storage == .mixed {
            let value = MixedView(text)
            guard value.kind == .string else { return false }
            text = value.payload
        }
        if let folder { text = folder.fold(text) }
        switch pattern.matches(text) {
        case .no: return false
        case .yes: return true
        // The budget has failed.
        case .stopped: break
        case .outOfMemory: budget.fail(.memory)
        case .tooComplex: budget.fail(.pattern)
        }
        return false
    }
}

/// Strings that have the words of a search; null has no words.
final class WordTest: ValueTest {
    private let matcher: TextSearchMatcher
    private let bound: BoundSource

    init(_ search: TextSearch, _ bound: BoundSource) {
        matcher = TextSearchMatcher(search)
        self.bound = bound
        super.init(nullResult: search.required.isEmpty)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let budget = bound.budget
        return matcher.matches(UnsafeRawBufferPointer(start: address, count: count)) {
            budget.spend($0)
        }
    }
}

/// Bytes that outlive the text they came from, for as long as the tests that compare with them.
final class TextConstant {
    /// The bytes; the address is never nil.
    let bytes: UnsafeRawBufferPointer

    init(_ source: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(source.count, 1), alignment: 1)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<source.count])
    }

    deinit { bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0).deallocate() } }

    /// The bytes of a string or data constant; nil for others.
    convenience init?(_ value: Value) {
        switch value {
        case .string(let text): self.init(text.utf8)
        case .data(let bytes): self.init(bytes)
        default: return nil
        }
    }
}

/// Strings or data equal to a constant, or different from it.
final class TextEqualTest: ValueTest {
    let constant: TextConstant
    private let start: UnsafeRawPointer
    private let count: Int
    let isEqual: Bool

    init?(_ constant: TextConstant, isEqual: Bool) {
        guard let start = constant.bytes.baseAddress else { return nil }
        self.constant = constant
        self.start = start
        count = constant.bytes.count
        self.isEqual = isEqual
        super.init(nullResult: !isEqual)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        (count == self.count && memcmp(address, start, count) == 0) == isEqual
    }
}

/// Strings or data that another operator relates to a constant, or any where case or accents do not count.
final class StringComparison: ValueTest {
    let constant: TextConstant
    let relation: Relation
    let constantIsLeft: Bool
    /// Folds values where accents do not count.
    let folder: TextFolder?
    private let bound: BoundSource

    init(
        _ constant: TextConstant, _ relation: Relation, constantIsLeft: Bool, _ bound: BoundSource
    ) {
        self.bound = bound
        folder = TextFolder(relation)
        self.constant = folder.map { TextConstant($0.fold(constant.bytes)) } ?? constant
        self.relation = relation
        self.constantIsLeft = constantIsLeft
        let isNullNeedle = constantIsLeft && relation.comparison != .like
        super.init(nullResult: relation.comparison == .notEqual || isNullNeedle)
    }

    /// Whether a test may take as long as the product of two lengths: of a pattern with `?`, or one that is a value.
    var needsBudget: Bool {
        relation.comparison == .like && (constantIsLeft || constant.bytes.contains(0x3F))
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        var value = UnsafeRawBufferPointer(start: address, count: count)
        var ignoresCase = relation.ignoresCase
        // ASCII has no accents, and its case is folded while it is compared.
        if let folder, !ignoresCase || !UTF8Scalars.isASCII(value) {
            value = folder.fold(value)
            ignoresCase = false
        }
        let (left, right) = constantIsLeft ? (constant.bytes, value) : (value, constant.bytes)
        if relation.comparison == .like {
            return TextMatch.like(
                left, right, ignoresCase: ignoresCase, within: needsBudget ? bound.budget : nil)
        }
        return TextMatch.holds(left, relation.comparison, right, ignoresCase: ignoresCase)
    }
}

/// Strings or data that are one of several: one binary search for any number of them.
final class TextSetTest: ValueTest {
    /// In their order, folded where accents do not count.
    let constants: [TextConstant]
    /// Whether values are compared by their folded scalars.
    let ignoresCase: Bool
    /// Folds values where accents do not count.
    let folder: TextFolder?

    init(_ constants: [TextConstant], _ relation: Relation, nullResult: Bool) {
        let folder = TextFolder(relation)
        self.folder = folder
        let order = relation.ignoresCase && folder == nil ? TextMatch.foldedOrder : Self.order
        ignoresCase = relation.ignoresCase && folder == nil
        self.constants =
            constants.map { text in folder.map { TextConstant($0.fold(text.bytes)) } ?? text }
            .sorted { order($0.bytes, $1.bytes) < 0 }
        super.init(nullResult: nullResult)
    }

    /// By length first: most comparisons then need not look at the bytes.
    private static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        a.count == b.count ? compareKeys(a, b) : a.count - b.count
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        var text = UnsafeRawBufferPointer(start: address, count: count)
        if let folder { text = folder.fold(text) }
        // A comparison by scalars ends at the first that differs.
        return ignoresCase
            ? constants.hasElement { TextMatch.foldedOrder($0.bytes, text) }
            : constants.hasElement { Self.order($0.bytes, text) }
    }
}

extension TextFolder {
    /// Nil when accents count.
    convenience init?(_ relation: Relation) {
        guard relation.ignoresAccents else { return nil }
        self.init(ignoresCase: relation.ignoresCase)
    }
}
