import Rows

/// Keeps the numbers that a path leads to, for a calculation, with where each group ends.
final class NumberSink: ValueSink {
    private let storage: ElementStorage
    /// The numbers; nil for null and for what is none.
    private(set) var numbers: [Number?] = []
    private(set) var groupEnds: [Int] = []

    init(_ storage: ElementStorage) { self.storage = storage }

    /// Forgets the last object's numbers, but keeps the memory.
    func reset() {
        groupCount = 0
        numbers.removeAll(keepingCapacity: true)
        groupEnds.removeAll(keepingCapacity: true)
    }

    override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
        numbers.append(address.flatMap { Number($0, count, storage) })
        return true
    }

    override func endGroup() -> Bool {
        groupEnds.append(numbers.count)
        return true
    }
}
