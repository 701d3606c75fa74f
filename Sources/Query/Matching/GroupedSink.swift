import HoldfastRows

/// Keeps the values that a path leads to, and where each group of them ends.
final class GroupedSink<Value>: ValueSink {
    private let keepsAddresses: Bool
    private let make: (UnsafeRawPointer?, Int) -> Value
    private(set) var values: [Value] = []
    private(set) var groupEnds: [Int] = []
    private var budget = Budget()

    /// - `keepsAddresses`: Whether a value lies where the row has it.
    /// - `make`: Makes the value of a stored one, or of null at nil.
    init(keepsAddresses: Bool, _ make: @escaping (UnsafeRawPointer?, Int) -> Value) {
        self.keepsAddresses = keepsAddresses
        self.make = make
    }

    override var keepsValues: Bool { keepsAddresses }

    /// Forgets the last object's values, but keeps the memory.
    ///
    /// - `budget`: Bounds the next ones.
    func reset(_ budget: Budget) {
        self.budget = budget
        groupCount = 0
        values.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        take(make(address, count))
    }

    /// Adds a value; false where the values take too much memory.
    func take(_ value: Value) -> Bool {
        values.append(value)
        return budget.holds(values.count * MemoryLayout<Value>.stride)
    }

    override func endGroup() -> Bool {
        groupEnds.append(values.count)
        return true
    }

    /// Returns the positions of the values of one group.
    func group(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : groupEnds[index - 1])..<groupEnds[index]
    }
}
