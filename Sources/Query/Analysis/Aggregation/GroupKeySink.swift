import HoldfastBytes
import HoldfastRows

/// Takes the values of a ``GroupKey`` from one object, each as bytes that are ordered as values are.
final class GroupKeySink: ValueSink {
    private let calculation: GroupCalculation?
    private let values: KeySink
    private let isMany: Bool
    private let buffer = ByteBuffer(capacity: 64)
    /// Where each value ends in ``buffer``.
    private var ends: [Int] = []
    /// Which of the values is to be copied, by its position.
    private var wanted: Int?
    /// The copy; nil for null.
    private var copy: AggregateState.Result?

    init(_ key: GroupKey) {
        calculation = GroupCalculation(key)
        values = KeySink(key.path.type.storage)
        isMany = key.path.isMany
    }

    /// How many values there are.
    var count: Int { ends.count }

    /// Reads an object's values.
    ///
    /// - `wanted`: Which is copied.
    /// - Returns: The copy, as it is stored; nil for null.
    @discardableResult
    func take(
        _ walker: PathWalker, _ row: RowView, _ key: UInt64, _ source: any ObjectSource,
        copying wanted: Int? = nil
    ) -> AggregateState.Result? {
        buffer.removeAll()
        ends.removeAll(keepingCapacity: true)
        (self.wanted, copy, groupCount) = (wanted, nil, 0)
        walker.walk(row, key, source, self)
        return copy
    }

    override var keepsValues: Bool { false }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        let number = calculation?.number(address, count)
        if let number {
            copyIfWanted(number.stored)
            let compared = number.compared
            Ordinal.appendKey(compared.ordinal, compared.storage ?? .int, to: buffer)
        } else if let address, calculation == nil {
            _ = values.receive(address, count)
            copyIfWanted(
                .stored(Array(UnsafeRawBufferPointer(start: address, count: count)), .mixed))
            values.append(to: buffer)
        } else {
            OrderedKey.appendNull(to: buffer)
        }
        ends.append(buffer.count)
        return isMany
    }

    private func copyIfWanted(_ value: @autoclosure () -> AggregateState.Result) {
        if wanted == ends.count { copy = value() }
    }

    /// Appends the bytes of a value; a single value has no position.
    func append(_ index: Int, to buffer: ByteBuffer) {
        let index = isMany ? index : 0
        guard index < ends.count else { return OrderedKey.appendNull(to: buffer) }
        let start = index == 0 ? 0 : ends[index - 1]
        buffer.append(UnsafeRawBufferPointer(rebasing: self.buffer.bytes[start..<ends[index]]))
    }
}
