import HoldfastBytes
import HoldfastRows

/// The receiver of the values that a path leads to, one after the other.
class ValueSink {
    /// The number of collections begun, where the path is compared one collection at a time.
    final var groupCount = 0
    /// Whether a link on the way to a single value was null.
    final var wasMissing = false

    /// Whether it looks at values again once it has received them, so that they have to stay where they are.
    var keepsValues: Bool { true }

    /// Takes a value, or null at nil.
    ///
    /// - Returns: Whether more values of this group are wanted.
    func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool { false }

    /// Takes the bytes of a value, or null at nil, as ``receive(_:_:)`` does.
    final func receive(_ bytes: UnsafeRawBufferPointer?) -> Bool {
        receive(bytes?.baseAddress, bytes?.count ?? 0)
    }

    /// Takes a count or another int, as ``receive(_:_:)`` does.
    final func receive(_ number: Int64) -> Bool {
        var number = number
        return receive(&number, 8)
    }

    /// Takes the elements of a collection, or of a part of one, each as ``receive(_:_:)`` does.
    func receive(elementsOf part: CollectionView) -> Bool {
        (0..<part.count).allSatisfy { receive(part.isNull($0) ? nil : part.bytes($0)) }
    }

    func beginGroup() { groupCount += 1 }

    /// Ends a collection.
    ///
    /// - Returns: Whether more collections are wanted.
    func endGroup() -> Bool { true }
}

/// Tests values as they come and stops as soon as the quantifier is decided.
final class QuantifiedSink: ValueSink {
    private let test: ValueTest
    private let quantifier: Quantifier
    /// Whether the present group satisfies the quantifier so far.
    private var isSatisfied = false
    /// Whether a group did.
    private(set) var result = false

    init(_ test: ValueTest, _ quantifier: Quantifier) {
        self.test = test
        self.quantifier = quantifier
    }

    /// Forgets the last object.
    func reset() {
        groupCount = 0
        result = false
    }

    override var keepsValues: Bool { false }

    override func beginGroup() {
        groupCount += 1
        isSatisfied = quantifier != .any
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        take(isDecided: test.holds(address, count) == decisive)
    }

    override func receive(elementsOf part: CollectionView) -> Bool {
        take(isDecided: test.answers(decisive, forAnyOf: part))
    }

    /// The answer for one value that decides: one that does, or of ALL one that does not.
    private var decisive: Bool { quantifier != .all }

    private func take(isDecided: Bool) -> Bool {
        if isDecided { isSatisfied = quantifier == .any }
        return !isDecided
    }

    override func endGroup() -> Bool {
        result = result || isSatisfied
        return !result
    }
}

/// Keeps the one value of a path to sort by.
final class KeySink: ValueSink {
    private let storage: ElementStorage
    /// The value; a text lies where the row has it.
    private(set) var value = ComparedValue()
    /// The bytes of a `mixed` value.
    private var mixed = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The values of objects, where they are known without a walk.
    var totals: InverseTotals?

    init(_ storage: ElementStorage) { self.storage = storage }

    /// Reads an object's value.
    func take(_ walker: PathWalker, _ row: RowView, _ key: UInt64, _ source: any ObjectSource) {
        value = ComparedValue()
        wasMissing = false
        groupCount = 0
        guard let totals else { return walker.walk(row, key, source, self) }
        totals.hand(key, to: self)
    }

    /// Reads a value, if values are sorted; nil for null.
    func take(_ walker: PathWalker, value subject: UnsafeRawBufferPointer?) {
        value = ComparedValue()
        walker.walk(value: subject, nil, self)
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        mixed = UnsafeRawBufferPointer(start: address, count: count)
        value = ComparedValue(address, count, storage)
        return false
    }

    /// Appends the value as an ``OrderedKey``; a link as its object key.
    ///
    /// - Returns: Whether a text was cut.
    @discardableResult
    func append(
        to buffer: ByteBuffer, textByteCountMax: Int = OrderedKey.textByteCountMax
    ) -> Bool {
        switch value.storage {
        case nil: OrderedKey.appendNull(to: buffer)
        case _? where storage == .mixed:
            return OrderedKey.append(MixedView(mixed), to: buffer, byteCountMax: textByteCountMax)
        case .string?, .data?:
            return OrderedKey.append(text: value.bytes, to: buffer, byteCountMax: textByteCountMax)
        case let storage?: Ordinal.appendKey(value.ordinal, storage, to: buffer)
        }
        return false
    }
}

/// Keeps the one value of a path: a copy of one of fixed width, and where a longer one lies.
final class SingleSink: ValueSink {
    /// The value; nil for null.
    var value: UnsafeRawBufferPointer?
    private let copy = ByteBuffer(capacity: 16)

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        value = address.map { UnsafeRawBufferPointer(start: $0, count: count) }
        if let own = value, count <= 16 {
            copy.removeAll()
            copy.append(own)
            value = copy.bytes
        }
        return false
    }
}
