/// Values that a path leads to, with where each group of them ends.
struct GroupedValues<Value> {
    private(set) var values: [Value] = []
    private(set) var groupEnds: [Int] = []

    /// Forgets the last object's values, but keeps the memory.
    mutating func reset() {
        values.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
    }

    mutating func append(_ value: Value) { values.append(value) }

    mutating func endGroup() { groupEnds.append(values.count) }

    /// Returns the positions of the values of one group.
    func group(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : groupEnds[index - 1])..<groupEnds[index]
    }
}
