import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The conditions on the values of one place, found by a value that satisfies them, and by some that do not: what
/// is found is tested by the filter itself. On the feed's thread.
final class ConditionIndex {
    private var equal: [UInt64: [Int32]] = [:]
    private var null: [Int32] = []
    private var intervals = IntervalIndex()
    private var needles = NeedleIndex()
    /// The conditions of owners who have many, by owner.
    private var large: [Int32: ConditionIndex] = [:]

    /// Whether there are none.
    var isEmpty: Bool {
        equal.isEmpty && null.isEmpty && intervals.isEmpty && needles.isEmpty && large.isEmpty
    }
    /// Whether there are any on parts of texts, which take time with each text.
    var hasTexts: Bool { !needles.isEmpty || large.values.contains(where: \.hasTexts) }

    /// Enters the condition of an owner.
    func add(_ condition: Anchor.Condition, _ owner: Int32) {
        switch condition {
        case .text(let text): needles.add(text, owner)
        case .ranges(let ranges):
            for part in ranges.lazy.flatMap(Self.parts) {
                switch part {
                case .null: null.append(owner)
                case .value(let hash): equal[hash, default: []].append(owner)
                case .interval(let bounds): intervals.add(bounds, owner)
                }
            }
        }
    }

    /// Enters all conditions of an owner who has many.
    func add(_ conditions: ConditionIndex, _ owner: Int32) { large[owner] = conditions }

    /// Removes the conditions of an owner who has many.
    func remove(allOf owner: Int32) { large[owner] = nil }

    /// Removes the condition of an owner.
    func remove(_ condition: Anchor.Condition, _ owner: Int32) {
        func drop(_ owners: inout [Int32]) {
            if let index = owners.firstIndex(of: owner) { owners.remove(at: index) }
        }
        switch condition {
        case .text(let text): needles.remove(text, owner)
        case .ranges(let ranges):
            for part in ranges.lazy.flatMap(Self.parts) {
                switch part {
                case .null: drop(&null)
                case .value(let hash):
                    drop(&equal[hash, default: []])
                    if equal[hash]?.isEmpty == true { equal[hash] = nil }
                case .interval(let bounds): intervals.remove(bounds, owner)
                }
            }
        }
    }

    /// Hands over the owners of the conditions that a value may satisfy; an owner may come several times.
    func forEach(at value: PlacedValue, _ scratch: ByteBuffer, _ body: (Int32) -> Void) {
        guard value.isThere else { return }
        for (owner, conditions) in large where conditions.mayFind(value, scratch) { body(owner) }
        if value.isNull { return null.forEach(body) }
        if !equal.isEmpty { equal[value.hash]?.forEach(body) }
        if !intervals.isEmpty { intervals.forEach(at: value.order, body) }
        if !needles.isEmpty, let text = value.text { needles.forEach(in: text, scratch, body) }
    }

    /// Whether a value may satisfy any condition.
    func mayFind(_ value: PlacedValue, _ scratch: ByteBuffer) -> Bool {
        if isAnyFound(at: value) { return true }
        var isFound = false
        if hasTexts { forEach(at: value, scratch) { _ in isFound = true } }
        return isFound
    }

    /// Whether a value may satisfy any condition but those on parts of texts.
    func isAnyFound(at value: PlacedValue) -> Bool {
        guard value.isThere else { return false }
        if large.values.contains(where: { $0.isAnyFound(at: value) }) { return true }
        if value.isNull { return !null.isEmpty }
        return !equal.isEmpty && equal[value.hash] != nil
            || !intervals.isEmpty && intervals.contain(value.order)
    }

    private enum Part {
        case null
        case value(UInt64)
        case interval(ClosedRange<UInt64>)
    }

    /// The bounds that a range is looked up by.
    private static func parts(of range: OrderedKeyRange) -> [Part] {
        if range.isSingleValue {
            return range.lower == [0]
                ? [.null] : [.value(range.lower.withUnsafeBytes { $0.tableHash() })]
        }
        var parts: [Part] = range.lower.first == 0 ? [.null] : []
        let lower =
            range.lower.first == 0 ? 0 : range.lower.withUnsafeBytes { PlacedValue.order($0) }
        let upper =
            range.upper.first == 1 ? range.upper.withUnsafeBytes { PlacedValue.order($0) } : .max
        if range.upper != [1], lower <= upper { parts.append(.interval(lower...upper)) }
        return parts
    }
}
