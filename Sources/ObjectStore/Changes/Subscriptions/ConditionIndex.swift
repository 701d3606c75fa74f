import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The conditions on the values of one place, found by a value that satisfies them, and by some that do not: what
/// is found is tested by the filter itself. On the feed's thread.
final class ConditionIndex {
    private var equal: [UInt64: [Int32]] = [:]
    private var intervals = IntervalIndex()
    private var needles = NeedleIndex()
    /// The conditions of owners who have many, by owner.
    private var large: [Int32: ConditionIndex] = [:]

    /// Whether there are none.
    var isEmpty: Bool {
        equal.isEmpty && intervals.isEmpty && needles.isEmpty && large.isEmpty
    }
    /// Whether there are any on parts of texts, which take time with each text.
    var hasTexts: Bool { !needles.isEmpty || large.values.contains(where: \.hasTexts) }

    /// Enters the condition of an owner.
    func add(_ condition: Anchor.Condition, _ owner: Int32) {
        switch condition {
        case .text(let text): needles.add(text, owner)
        case .ranges(let ranges):
            for (hash, interval) in ranges.lazy.map(Self.bounds) {
                if let hash { equal[hash, default: []].append(owner) }
                if let interval { intervals.add(interval, owner) }
            }
        }
    }

    /// Enters all conditions of an owner who has many.
    func add(_ conditions: ConditionIndex, _ owner: Int32) { large[owner] = conditions }

    /// Removes the conditions of an owner who has many.
    func remove(allOf owner: Int32) { large[owner] = nil }

    /// Removes the condition of an owner.
    func remove(_ condition: Anchor.Condition, _ owner: Int32) {
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

    /// Hands over the owners of the conditions that a value may satisfy, until `body` returns false; an owner may come several times.
    ///
    /// - `scratch`: Memory for texts; nil leaves out the conditions on parts of them.
    /// - Returns: Whether it never did.
    @discardableResult
    func forEach(
        at value: PlacedValue, _ scratch: ByteBuffer?, _ body: (Int32) -> Bool
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

    /// Whether a value may satisfy any condition that ``forEach(at:_:_:)`` asks.
    func mayFind(_ value: PlacedValue, _ scratch: ByteBuffer?) -> Bool {
        if !forEach(at: value, nil, { _ in false }) { return true }
        // Texts are looked through where nothing else finds any.
        return scratch != nil && hasTexts && !forEach(at: value, scratch) { _ in false }
    }

    /// The hash of the value, null perhaps, and the interval that a range is looked up by.
    private static func bounds(
        of range: OrderedKeyRange
    ) -> (hash: UInt64?, interval: ClosedRange<UInt64>?) {
        func hash(_ key: [UInt8]) -> UInt64 { key.withUnsafeBytes { $0.tableHash() } }
        if range.isSingleValue { return (hash(range.lower), nil) }
        let hasNull = range.lower.first == 0
        let lower = hasNull ? 0 : range.lower.withUnsafeBytes { PlacedValue.order($0) }
        let upper =
            range.upper.first == 1 ? range.upper.withUnsafeBytes { PlacedValue.order($0) } : .max
        return (
            hasNull ? hash([0]) : nil,
            range.upper != [1] && lower <= upper ? lower...upper : nil
        )
    }
}
