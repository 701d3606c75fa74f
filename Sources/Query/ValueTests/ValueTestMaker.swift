import ObjectModel
import Rows
import Text

/// Makes the test for `value ⋈ constant`, or for `constant ⋈ value`.
struct ValueTestMaker {
    /// The schema that names classes in link constants.
    let schema: RowSchema
    /// The objects that tests made so far compare with.
    private(set) var objects: [ObjectConstant] = []
    /// What the regular expressions among the tests share; nil when there are none.
    private(set) var watch: PatternWatch?

    init(schema: RowSchema) { self.schema = schema }

    /// The object that a link constant names.
    mutating func object(_ className: String, _ key: Value) -> ObjectConstant? {
        guard let rowClass = schema.rowClass(named: className) else { return nil }
        let object = ObjectConstant(rowClass: rowClass, key: key)
        objects.append(object)
        return object
    }

    /// A test of one constant, which may stand on the left of the operator.
    mutating func test(
        _ comparison: ComparisonOperator, _ constant: Value, _ type: ValueType,
        ignoresCase: Bool, ignoresAccents: Bool, constantIsLeft: Bool
    ) -> ValueTest {
        if type == .kinds {
            guard case .int(let kinds) = constant else {
                return FixedTest(comparison == .notEqual, nullResult: comparison == .notEqual)
            }
            return KindTest(kinds, isEqual: comparison == .equal)
        }
        let storage = type.storage
        let usual = constantIsLeft ? comparison.swapped ?? comparison : comparison
        if comparison == .matches || comparison == .text {
            return patternTest(comparison, constant, storage, ignoresCase, ignoresAccents)
        }
        if constant == .null { return nullTest(usual, constantIsLeft: constantIsLeft) }
        if storage == .string || storage == .data {
            return textTest(
                usual, constant, storage, ignoresCase, ignoresAccents, constantIsLeft)
        }
        if storage == .mixed {
            var object: ObjectConstant?
            if case .link(let className, let key) = constant {
                object = self.object(className, key)
            }
            return MixedTest(
                constant, object, usual, ignoresCase: ignoresCase,
                accents: ignoresAccents ? AccentComparison(ignoresCase: ignoresCase) : nil,
                constantIsLeft: constantIsLeft && usual.isTextual)
        }
        if storage == .link {
            guard case .link(let className, let key) = constant,
                let object = object(className, key)
            else { return FixedTest(usual == .notEqual, nullResult: usual == .notEqual) }
            return LinkTest(object, isEqual: usual == .equal)
        }
        let isInside = usual != .notEqual
        let inner = isInside ? usual : .equal
        guard let range = Ordinal.range(inner, constant, as: storage) else {
            return FixedTest(!isInside, nullResult: !isInside)
        }
        switch storage {
        case .int: return IntRangeTest(range, isInside: isInside, nullResult: !isInside)
        case .double: return DoubleRangeTest(range, isInside: isInside, nullResult: !isInside)
        default: return OrdinalRangeTest(range, storage, isInside: isInside, nullResult: !isInside)
        }
    }

    private mutating func patternTest(
        _ comparison: ComparisonOperator, _ constant: Value, _ storage: ElementStorage,
        _ ignoresCase: Bool, _ ignoresAccents: Bool
    ) -> ValueTest {
        let none = FixedTest(false, nullResult: false)
        guard case .string(let text) = constant else { return none }
        if comparison == .text { return (try? TextSearch(text)).map { WordTest($0) } ?? none }
        let watch = watch ?? PatternWatch()
        self.watch = watch
        return PatternTest(
            text, storage, ignoresCase: ignoresCase, ignoresAccents: ignoresAccents, watch) ?? none
    }

    /// Null equals null, is neither less nor greater than anything, is contained in everything as a
    /// needle and contains nothing as a constant.
    private func nullTest(_ comparison: ComparisonOperator, constantIsLeft: Bool) -> ValueTest {
        switch comparison {
        case .equal, .lessEqual, .greaterEqual, .like: FixedTest(false, nullResult: true)
        case .notEqual: FixedTest(true, nullResult: false)
        case .less, .greater, .matches, .text: FixedTest(false, nullResult: false)
        case .beginsWith, .endsWith, .contains:
            FixedTest(!constantIsLeft, nullResult: !constantIsLeft)
        }
    }

    /// A test of a text; orders are already turned round, the textual operators have no such form.
    private func textTest(
        _ comparison: ComparisonOperator, _ constant: Value, _ storage: ElementStorage,
        _ ignoresCase: Bool, _ ignoresAccents: Bool, _ constantIsLeft: Bool
    ) -> ValueTest {
        let isComparable = constant.scalarType.map { ElementStorage($0) == storage } ?? false
        guard isComparable, let text = TextConstant(constant) else {
            return FixedTest(comparison == .notEqual, nullResult: comparison == .notEqual)
        }
        if ignoresAccents {
            return AccentTest(
                text, comparison, ignoresCase: ignoresCase,
                constantIsLeft: constantIsLeft && comparison.isTextual)
        }
        if !ignoresCase, comparison == .equal || comparison == .notEqual,
            let test = TextEqualTest(text, isEqual: comparison == .equal)
        {
            return test
        }
        return TextTest(
            text, comparison, ignoresCase: ignoresCase,
            constantIsLeft: constantIsLeft && comparison.isTextual)
    }

    /// A test of several constants, of which the quantifier's number has to satisfy the operator.
    mutating func test(
        _ comparison: ComparisonOperator, _ constants: [Value], _ quantifier: Quantifier,
        _ type: ValueType, ignoresCase: Bool, ignoresAccents: Bool, constantIsLeft: Bool
    ) -> ValueTest {
        if comparison == .equal, quantifier == .any, type != .kinds {
            let folds = ignoresCase || ignoresAccents
            if folds, type.storage == .string || type.storage == .data {
                let texts = texts(constants, type.storage)
                let hasNull = constants.contains(.null)
                return ignoresAccents
                    ? FoldedSetTest(
                        texts, TextFolder(ignoresCase: ignoresCase, ignoresAccents: true),
                        nullResult: hasNull)
                    : CaselessSetTest(texts, nullResult: hasNull)
            }
            if !folds, let test = setTest(constants, type.storage) { return test }
        }
        var tests: [ValueTest] = []
        tests.reserveCapacity(constants.count)
        for constant in constants {
            tests.append(
                test(
                    comparison, constant, type, ignoresCase: ignoresCase,
                    ignoresAccents: ignoresAccents,
                    constantIsLeft: constantIsLeft))
        }
        return ListTest(tests, quantifier)
    }

    /// The constants of one type, string or data, as bytes.
    private func texts(_ constants: [Value], _ storage: ElementStorage) -> [TextConstant] {
        constants.compactMap { constant in
            constant.scalarType.map { ElementStorage($0) } == storage ? TextConstant(constant) : nil
        }
    }

    private func setTest(_ constants: [Value], _ storage: ElementStorage) -> ValueTest? {
        switch storage {
        case .string, .data:
            return TextSetTest(
                texts(constants, storage), nullResult: constants.contains(.null))
        case .float, .double:
            // A decimal stands for several of them.
            let hasDecimal = constants.contains { $0.scalarType == .decimal128 }
            return hasDecimal ? nil : ordinalSetTest(constants, storage)
        case .bool, .int, .decimal, .date, .objectID, .uuid:
            return ordinalSetTest(constants, storage)
        case .mixed: return MixedSetTest(constants)
        case .link, .embedded: return nil
        }
    }

    private func ordinalSetTest(_ constants: [Value], _ storage: ElementStorage) -> ValueTest {
        OrdinalSetTest(
            constants.compactMap { Ordinal.of($0, as: storage) }, storage,
            nullResult: constants.contains(.null))
    }
}
