import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The conditions on the values at one place. A value finds the conditions that it satisfies, and some that it does not. The
/// filters that are found are then tested themselves. On the feed's thread.
///
/// Benchmark row: `filters`.
final class ConditionIndex {
    private var equal: [UInt64: [Int32]] = [:]
    private var intervals = IntervalIndex()
    private var needles = NeedleIndex()
    /// The conditions of owners with many, by owner.
    private var large: [Int32: ConditionIndex] = [:]

    var isEmpty: Bool { equal.isEmpty && intervals.isEmpty && needles.isEmpty && large.isEmpty }
    /// Whether there are conditions on parts of texts, which take time with each text.
    var hasTexts: Bool { !needles.isEmpty || large.values.contains(where: \.hasTexts) }

    func add(_ condition: IndexCondition.Condition, _ owner: Int32) {
        switch condition {
        case .text(let text): needles.add(text, owner)
        case .ranges(let ranges):
            for (hash, interval) in ranges.lazy.map(Self.bounds) {
                if let hash { equal[hash, default: []].append(owner) }
                if let interval { intervals.add(interval, owner) }
            }
        }
    }

    /// Adds all conditions of an owner with many.
    func add(_ conditions: ConditionIndex, _ owner: Int32) { large[owner] = conditions }

    /// Removes the conditions of an owner with many.
    func remove(allOf owner: Int32) { large[owner] = nil }

    func remove(_ condition: IndexCondition.Condition, _ owner: Int32) {
        switch condition {
        case .text(let text): needles.remove(text, owner)
        case .ranges(let ranges):
            for (hash, interval) in ranges.lazy.map(Self.bounds) {
                if let hash, let index = equal[hash]?.firstIndex(of: owner) {
                    equal[hash]?.remove(at: index)
                    if equal[hash]?.isEmpty == true { equal[hash] = nil }
                }
                if let interval { intervals.remove(interval, owner) }
            }
        }
    }

    /// Passes on the owners of the conditions that a value may satisfy, until `body` returns false. An owner may come several
    /// times.
    ///
    /// - `scratch`: Memory for texts; nil leaves out the conditions on parts of texts.
    /// - Returns: Whether `body` never returned false.
    @discardableResult
    func forEach(
        at value: PathValue, _ scratch: ByteBuffer?, _ body: (Int32) -> Bool
    ) -> Bool {
        guard value.isThere else { return true }
        for (owner, conditions) in large where conditions.mayFind(value, scratch) {
            guard body(owner) else { return false }
        }
        if !equal.isEmpty, let owners = equal[value.hash] {
            guard owners.allSatisfy(body) else { return false }
        }
        if value.isNull { return true }
        guard intervals.isEmpty || intervals.forEach(at: value.order, body) else { return false }
        guard let scratch, !needles.isEmpty, let text = value.text else { return true }
        return needles.forEach(in: text, scratch, body)
    }

    /// Whether a value may satisfy any condition in ``forEach(at:_:_:)``.
    func mayFind(_ value: PathValue, _ scratch: ByteBuffer?) -> Bool {
        if !forEach(at: value, nil, { _ in false }) { return true }
        // Texts are searched if nothing else finds a condition.
        return scratch != nil && hasTexts && !forEach(at: value, scratch) { _ in false }
    }

    /// The hash of a range's value or null, and the interval by which the range is looked up.
    private static func bounds(
        of range: OrderedKeyRange
    ) -> (hash: UInt64?, interval: ClosedRange<UInt64>?) {
        func hash(_ key: [UInt8]) -> UInt64 { key.withUnsafeBytes { $0.tableHash() } }
        if range.isSingleValue { return (hash(range.lower), nil) }
        let hasNull = range.lower.first == 0
        let lower = hasNull ? 0 : range.lower.withUnsafeBytes { PathValue.order($0) }
        let upper =
            range.upper.first == 1 ? range.upper.withUnsafeBytes { PathValue.order($0) } : .max
        return (
            hasNull ? hash([0]) : nil, range.upper != [1] && lower <= upper ? lower...upper : nil
        )
    }
}
