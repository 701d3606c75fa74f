import HoldfastBytes
import Glibc
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

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
final class TextTest: ValueTest {
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

/// Strings or data that are one of several: one search by halves, whatever their number.
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
