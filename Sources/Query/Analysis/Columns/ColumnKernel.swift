import HoldfastObjectModel
import HoldfastRows

/// A condition on single values in the form in which a chunk can evaluate it fastest.
///
/// Immutable, and its test keeps nothing between calls, so that several threads may use it at once.
///
/// Benchmark row: `aggregates`.
struct ColumnKernel: @unchecked Sendable {
    // Unchecked: `ValueTest` is a class, but the tests that get here only read their constants.

    /// The work on packed values.
    enum Form {
        /// The same answer for all values.
        case fixed(Bool)
        /// Numbers within bounds, or outside them.
        case numbers(ClosedRange<Int64>, isInside: Bool)
        /// Numbers that are one of a few.
        case numberSet([Int64])
        /// Texts that are one of a few, or not.
        case texts([UnsafeRawBufferPointer], hashes: [UInt32], isInside: Bool)
        /// Texts that contain another.
        case contains(NeedleSearch)
        /// Texts that do not come behind another.
        case textsUpTo(UnsafeRawBufferPointer)
        /// Every value is tested by itself.
        case each
    }

    let test: ValueTest
    let form: Form

    /// Whether a test only reads its constants and has no effect but its result, so that several threads may use it,
    /// and takes no long time for one value.
    static func canUse(_ test: ValueTest) -> Bool {
        switch test {
        case is FixedTest, is OrdinalRangeTest, is OrdinalSetTest, is LinkTest, is TextEqualTest:
            return true
        case let text as StringComparison: return text.folder == nil && !text.needsBudget
        case let texts as TextSetTest: return texts.folder == nil
        case let list as ListTest:
            return list.tests.count <= ListTest.fewCountMax && list.tests.allSatisfy { canUse($0) }
        default: return false
        }
    }

    /// The most values that a set is compared with one after the other.
    private static let setCountMax = 12

    /// Chooses the form; objects that the test names have to be looked up before.
    init(_ test: ValueTest, _ storage: ElementStorage) {
        self.test = test
        form = Self.form(test, storage)
    }

    /// The test whether a value is null.
    static let null = ColumnKernel(FixedTest(false, nullResult: true), .fixed(false))

    /// Makes a kernel of a form; `test` decides for null.
    init(_ test: ValueTest, _ form: Form) {
        self.test = test
        self.form = form
    }

    private static func form(_ test: ValueTest, _ storage: ElementStorage) -> Form {
        if let test = test as? FixedTest { return .fixed(test.result) }
        if let test = test as? OrdinalRangeTest {
            guard !ColumnForm.isText(test.storage) else { return .each }
            guard let range = ColumnNumber.range(test.range, test.storage) else {
                return .fixed(!test.isInside)
            }
            return .numbers(range, isInside: test.isInside)
        }
        if let test = test as? LinkTest {
            guard let key = test.object.key.map(Int64.init(bitPattern:)) else {
                return .fixed(!test.isEqual)
            }
            return .numbers(key...key, isInside: test.isEqual)
        }
        if let test = test as? OrdinalSetTest, test.ordinals.count <= setCountMax {
            switch test.storage {
            case .bool, .int, .date:
                return .numberSet(
                    test.ordinals.compactMap {
                        ColumnNumber.range($0...$0, test.storage)?.lowerBound
                    })
            default: return .each
            }
        }
        return text(test) ?? .each
    }

    private static func text(_ test: ValueTest) -> Form? {
        if let test = test as? TextEqualTest { return texts([test.constant], test.isEqual) }
        if let test = test as? TextSetTest, !test.ignoresCase, test.constants.count <= setCountMax {
            return texts(test.constants, true)
        }
        if let test = test as? StringComparison, test.relation.comparison == .contains,
            !test.constantIsLeft
        {
            return NeedleSearch(test.constant.bytes, ignoresCase: test.relation.ignoresCase).map {
                .contains($0)
            }
        }
        return nil
    }

    private static func texts(_ constants: [TextConstant], _ isInside: Bool) -> Form {
        let texts = constants.map(\.bytes)
        return .texts(texts, hashes: texts.map { TextChunk.hash($0) }, isInside: isInside)
    }
}
