/// Keeps what a path leads to, with where each group ends.
final class GroupedSink<Kept>: ValueSink {
    private let keep: (UnsafeRawPointer?, Int) -> Kept
    private(set) var values: [Kept] = []
    private(set) var groupEnds: [Int] = []

    /// - `keep`: Makes what is kept of a value, or of null at nil.
    init(_ keep: @escaping (UnsafeRawPointer?, Int) -> Kept) { self.keep = keep }

    /// Forgets the last object's values, but keeps the memory.
    func reset() {
        groupCount = 0
        values.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
    }

    /// Takes a value as it is.
    func append(_ value: Kept) { values.append(value) }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        values.append(keep(address, count))
        return true
    }

    override func endGroup() -> Bool {
        groupEnds.append(values.count)
        return true
    }

    /// The positions of the values of one group.
    func group(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : groupEnds[index - 1])..<groupEnds[index]
    }
}
