import Bytes
import ObjectModel
import Rows

/// Values of kind `mixed` related to a constant by an operator. A value of a kind that does not compare
/// with the constant's satisfies `!=` and nothing else.
final class MixedTest: ValueTest {
    private let constant: ComparedValue
    /// Keeps the constant's bytes.
    private let text: TextConstant?
    /// The object that the constant names, if it is a link.
    private let object: ObjectConstant?
    private let comparison: ComparisonOperator
    private let ignoresCase: Bool
    private let accents: AccentComparison?
    private let constantIsLeft: Bool

    /// - `constant`: Not null.
    init(
        _ constant: Value, _ object: ObjectConstant?, _ comparison: ComparisonOperator,
        ignoresCase: Bool, accents: AccentComparison?, constantIsLeft: Bool
    ) {
        text = TextConstant(constant)
        self.constant = ComparedValue(constant, text: text)
        self.object = object
        self.comparison = comparison
        self.ignoresCase = ignoresCase
        self.accents = accents
        self.constantIsLeft = constantIsLeft
        let isNullNeedle = constantIsLeft && comparison.isTextual && comparison != .like
        super.init(nullResult: comparison == .notEqual || isNullNeedle)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let value = ComparedValue(address, count, .mixed)
        let constant = object.map { ComparedValue(mixedObject: $0) } ?? constant
        return constantIsLeft
            ? ComparedValue.holds(
                constant, comparison, value, ignoresCase: ignoresCase, accents: accents)
            : ComparedValue.holds(
                value, comparison, constant, ignoresCase: ignoresCase, accents: accents)
    }
}

/// Values of kind `mixed` that are one of several, none of them a link.
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
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            let order = keys[middle].withUnsafeBytes { compareKeys($0, scratch.bytes) }
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
