import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// Makes the test for `value ⋈ constant`, or for `constant ⋈ value`.
struct ValueTestMaker {
    /// The schema that names classes in link constants.
    let schema: RowSchema
    /// The objects that tests made so far compare with.
    private(set) var objects: [ObjectConstant] = []
    /// The source and the budget of the tests.
    let bound: BoundSource

    init(schema: RowSchema, _ bound: BoundSource = BoundSource()) {
        self.schema = schema
        self.bound = bound
    }

    /// Makes the object that a constant names; nil where it is no link.
    mutating func object(_ constant: Value) -> ObjectConstant? {
        guard case .link(let className, let key) = constant,
            let rowClass = schema.rowClass(named: className)
        else { return nil }
        let object = ObjectConstant(rowClass: rowClass, key: key)
        objects.append(object)
        return object
    }

    /// Makes the test of a path's comparison.
    mutating func test(_ compared: ComparedPath) -> ValueTest {
        let (relation, type) = (compared.relation, compared.path.type)
        guard let quantifier = compared.listQuantifier else {
            return test(relation, compared.constants[0], type, compared.constantIsLeft)
        }
        if relation.comparison == .equal, quantifier == .any, type != .kinds,
            let test = setTest(relation, compared.constants, type.storage)
        {
            return test
        }
        return ListTest(
            compared.constants.map { test(relation, $0, type, compared.constantIsLeft) },
            quantifier, bound)
    }

    /// Makes a test of one constant, which may stand on the left of the operator.
    private mutating func test(
        _ relation: Relation, _ constant: Value, _ type: ValueType, _ constantIsLeft: Bool
    ) -> ValueTest {
        let storage = type.storage
        var usual = relation
        if constantIsLeft, let swapped = relation.comparison.swapped { usual.comparison = swapped }
        let comparison = usual.comparison
        // Values that are not comparable satisfy `!=` alone.
        let different = FixedTest(comparison == .notEqual, nullResult: comparison == .notEqual)
        if type == .kinds {
            guard case .int(let kinds) = constant else { return different }
            return KindTest(kinds, isEqual: comparison == .equal)
        }
        if comparison == .matches || comparison == .text {
            return patternTest(relation, constant, storage)
        }
        if constant == .null { return nullTest(comparison, constantIsLeft: constantIsLeft) }
        let isNeedleLeft = constantIsLeft && comparison.isTextual
        switch storage {
        case .string, .data:
            guard let text = text(constant, storage) else { return different }
            if !relation.folds, comparison == .equal || comparison == .notEqual,
                let test = TextEqualTest(text, isEqual: comparison == .equal)
            {
                return test
            }
            return StringComparison(text, usual, constantIsLeft: isNeedleLeft, bound)
        case .mixed:
            return MixedTest(constant, object(constant), usual, constantIsLeft: isNeedleLeft, bound)
        case .link:
            guard let object = object(constant) else { return different }
            return LinkTest(object, isEqual: comparison == .equal)
        default: break
        }
        let isInside = comparison != .notEqual
        guard let range = Ordinal.range(isInside ? comparison : .equal, constant, as: storage)
        else { return different }
        return OrdinalRangeTest(range, storage, isInside: isInside, nullResult: !isInside)
    }

    private mutating func patternTest(
        _ relation: Relation, _ constant: Value, _ storage: ElementStorage
    ) -> ValueTest {
        let none = FixedTest(false, nullResult: false)
        guard case .string(let text) = constant else { return none }
        if relation.comparison == .text {
            return (try? TextSearch(text)).map { WordTest($0, bound) } ?? none
        }
        return PatternTest(text, storage, relation, bound) ?? none
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

    /// Returns the bytes of a constant of a type, string or data; nil for one of another type.
    private func text(_ constant: Value, _ storage: ElementStorage) -> TextConstant? {
        constant.scalarType.map { ElementStorage($0) } == storage ? TextConstant(constant) : nil
    }

    /// Makes one test of several constants, of which a value has to equal one; nil where each needs its own.
    private func setTest(
        _ relation: Relation, _ constants: [Value], _ storage: ElementStorage
    ) -> ValueTest? {
        let hasNull = constants.contains(.null)
        switch storage {
        case .string, .data:
            return TextSetTest(
                constants.compactMap { text($0, storage) }, relation, nullResult: hasNull)
        case _ where relation.folds: return nil
        case .mixed: return MixedSetTest(constants)
        case .link, .embedded: return nil
        // A decimal stands for several of them.
        case .float where hasDecimal(constants), .double where hasDecimal(constants): return nil
        default:
            return OrdinalSetTest(
                constants.compactMap { Ordinal.of($0, as: storage) }, storage, nullResult: hasNull)
        }
    }

    private func hasDecimal(_ constants: [Value]) -> Bool {
        constants.contains { $0.scalarType == .decimal128 }
    }
}

/// Sets of kinds that overlap a constant one, or that do not.
final class KindTest: ValueTest {
    private let kinds: Int64
    private let isEqual: Bool

    init(_ kinds: Int64, isEqual: Bool) {
        self.kinds = kinds
        self.isEqual = isEqual
        super.init(nullResult: !isEqual)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        (address.storedInt & kinds != 0) == isEqual
    }
}

extension KindSet {
    /// Whether two sets have a kind in common.
    static func overlap(_ a: ComparedValue, _ b: ComparedValue) -> Bool {
        guard case .int(let x)? = a.number, case .int(let y)? = b.number else { return false }
        return x & y != 0
    }
}

/// Values of kind `mixed` related to a constant by an operator. A value of a kind that does not compare
/// with the constant's satisfies `!=` and nothing else.
final class MixedTest: ValueTest {
    private let constant: OwnedValue
    /// The object that the constant names, if it is a link.
    private let object: ObjectConstant?
    private let relation: ValueRelation
    private let constantIsLeft: Bool
    private let bound: BoundSource

    /// - `constant`: Not null.
    init(
        _ constant: Value, _ object: ObjectConstant?, _ relation: Relation, constantIsLeft: Bool,
        _ bound: BoundSource
    ) {
        self.bound = bound
        self.constant = OwnedValue(constant)
        self.object = object
        self.relation = ValueRelation(relation)
        self.constantIsLeft = constantIsLeft
        let comparison = relation.comparison
        let isNullNeedle = constantIsLeft && comparison.isTextual && comparison != .like
        super.init(nullResult: comparison == .notEqual || isNullNeedle)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let value = ComparedValue(address, count, .mixed)
        let constant = object.map { ComparedValue(mixedObject: $0) } ?? constant.compared
        let (left, right) = constantIsLeft ? (constant, value) : (value, constant)
        return relation.holds(left, right, within: bound.budget)
    }
}

/// Values of kind `mixed` that are one of several values without links.
final class MixedSetTest: ValueTest {
    /// The constants as ordered keys, in order.
    private let keys: [[UInt8]]
    private let scratch = ByteBuffer(capacity: 64)

    /// Makes a test; nil if there is a link among the constants.
    init?(_ constants: [Value]) {
        var keys: [[UInt8]] = []
        keys.reserveCapacity(constants.count)
        for constant in constants where constant != .null {
            guard constant.scalarType != nil else { return nil }
            let value = ByteBuffer(capacity: 32)
            MixedWriter(value).value(constant)
            let key = ByteBuffer(capacity: 32)
            OrderedKey.append(MixedView(value.bytes), to: key, byteCountMax: .max)
            keys.append(key.array)
        }
        self.keys = keys.sorted { $0.lexicographicallyPrecedes($1) }
        super.init(nullResult: constants.contains(.null))
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let value = MixedView(UnsafeRawBufferPointer(start: address, count: count))
        // Lists and maps equal nothing; their keys are all alike.
        if value.kind == .list || value.kind == .map { return false }
        scratch.removeAll()
        OrderedKey.append(value, to: scratch, byteCountMax: .max)
        return keys.hasElement { key in key.withUnsafeBytes { compareKeys($0, scratch.bytes) } }
    }
}
