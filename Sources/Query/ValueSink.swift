import Rows

/// What takes the values that a path leads to, one after the other.
class ValueSink {
    /// How many collections were begun, where the path is compared one collection at a time.
    final var groupCount = 0

    /// Takes a value, or null at nil.
    ///
    /// - Returns: Whether more values of this group are wanted.
    func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool { false }

    /// Begins a collection.
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

    override func beginGroup() {
        groupCount += 1
        isSatisfied = quantifier != .any
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        let holds = test.holds(address, count)
        switch quantifier {
        case .any:
            if holds { isSatisfied = true }
            return !holds
        case .all:
            if !holds { isSatisfied = false }
            return holds
        case .none:
            if holds { isSatisfied = false }
            return !holds
        }
    }

    override func endGroup() -> Bool {
        result = result || isSatisfied
        return !result
    }
}
