import Text

/// Texts of which neither is a constant, or that may be of several kinds, compared without their accents.
final class AccentComparison {
    private let left: TextFolder
    private let right: TextFolder

    init(ignoresCase: Bool) {
        left = TextFolder(ignoresCase: ignoresCase, ignoresAccents: true)
        right = TextFolder(ignoresCase: ignoresCase, ignoresAccents: true)
    }

    /// Nil when the comparison heeds accents.
    convenience init?(_ comparison: Comparison) {
        guard comparison.ignoresAccents else { return nil }
        self.init(ignoresCase: comparison.ignoresCase)
    }

    /// Whether `a ⋈ b` holds of two texts.
    func holds(
        _ a: UnsafeRawBufferPointer, _ comparison: ComparisonOperator, _ b: UnsafeRawBufferPointer
    ) -> Bool {
        TextMatch.holds(left.fold(a), comparison, right.fold(b), ignoresCase: false)
    }
}

/// Strings or data that an operator relates to a constant, accents aside.
final class AccentTest: ValueTest {
    private let constant: TextConstant
    private let comparison: ComparisonOperator
    private let folder: TextFolder
    private let constantIsLeft: Bool

    init(
        _ constant: TextConstant, _ comparison: ComparisonOperator, ignoresCase: Bool,
        constantIsLeft: Bool
    ) {
        folder = TextFolder(ignoresCase: ignoresCase, ignoresAccents: true)
        self.constant = TextConstant(folder.fold(constant.bytes))
        self.comparison = comparison
        self.constantIsLeft = constantIsLeft
        let isNullNeedle = constantIsLeft && comparison != .like
        super.init(nullResult: comparison == .notEqual || isNullNeedle)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let text = UnsafeRawBufferPointer(start: address, count: count)
        // ASCII has no accents, and its case is folded while it is compared.
        let isASCII = folder.ignoresCase && UTF8Scalars.isASCII(text)
        let value = isASCII ? text : folder.fold(text)
        return constantIsLeft
            ? TextMatch.holds(constant.bytes, comparison, value, ignoresCase: isASCII)
            : TextMatch.holds(value, comparison, constant.bytes, ignoresCase: isASCII)
    }
}

/// Strings or data that are one of several, accents aside: one search, whatever their number.
final class FoldedSetTest: ValueTest {
    private let folder: TextFolder
    private let set: TextSetTest

    init(_ constants: [TextConstant], _ folder: TextFolder, nullResult: Bool) {
        self.folder = folder
        set = TextSetTest(
            constants.map { TextConstant(folder.fold($0.bytes)) }, nullResult: nullResult)
        super.init(nullResult: nullResult)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let folded = folder.fold(UnsafeRawBufferPointer(start: address, count: count))
        guard let start = folded.baseAddress else { return set.test(address, 0) }
        return set.test(start, folded.count)
    }
}
