import HoldfastBytes

/// The filters that are found by the value at one place: those with few conditions by one table, each with many by a
/// table of its own. On the feed's thread.
final class PlacedFilters {
    private let shared = ConditionIndex()
    private var large: [Int32: ConditionIndex] = [:]

    /// Whether there are none.
    var isEmpty: Bool { shared.isEmpty && large.isEmpty }
    /// Whether there are conditions on parts of texts, which take time with each text.
    var hasTexts: Bool { shared.hasTexts || large.values.contains { $0.hasTexts } }

    /// Enters a condition of an owner that has few.
    func add(_ condition: Anchor.Condition, _ owner: Int32) { shared.add(condition, owner) }

    /// Enters all conditions of an owner that has many.
    func add(_ conditions: ConditionIndex, _ owner: Int32) { large[owner] = conditions }

    /// Removes a condition that was entered.
    func remove(_ condition: Anchor.Condition, _ owner: Int32) { shared.remove(condition, owner) }

    /// Removes the conditions of an owner that has many.
    func remove(allOf owner: Int32) { large[owner] = nil }

    /// Hands over the owners of the conditions that a value may satisfy; an owner may come several times.
    func forEach(at value: PlacedValue, _ scratch: ByteBuffer, _ body: (Int32) -> Void) {
        shared.forEach(at: value, scratch, body)
        for (owner, conditions) in large {
            if conditions.isAnyFound(at: value) {
                body(owner)
            } else if conditions.hasTexts {
                var isFound = false
                conditions.forEach(at: value, scratch) { _ in isFound = true }
                if isFound { body(owner) }
            }
        }
    }

    /// Whether a value may satisfy any condition but those on parts of texts.
    func isAnyFound(at value: PlacedValue) -> Bool {
        shared.isAnyFound(at: value) || large.values.contains { $0.isAnyFound(at: value) }
    }
}
