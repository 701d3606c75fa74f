import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

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
        return keys.hasElement { key in
            key.withUnsafeBytes { compareKeys($0, scratch.bytes) }
        }
    }
}
