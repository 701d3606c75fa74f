import Rows

/// Which elements of a collection show something of other objects that was updated.
struct ChangedLinks {
    private let changes: FoldedChanges
    private let schema: RowSchema
    private let isMixed: Bool
    /// The linked objects of which something that is shown has changed; nil where each may be one.
    private var keys: Set<UInt64>?

    /// Nil when no element of the property can.
    init?(_ changes: FoldedChanges, _ property: ObservedProperty, in transaction: ReadTransaction) {
        let member = property.compiled
        self.changes = changes
        schema = transaction.rows
        isMixed = member.storage.element == .mixed
        if member.storage.shape == .none { return nil }
        switch member.storage.element {
        case .link:
            let query =
                property.targets
                ?? ObservedQuery(
                    target: .objects(classIndex: member.classIndex), predicate: nil,
                    filterPaths: [], schema: schema)
            let candidates = query.candidates(
                changes, in: transaction, dependentCountMax: ObservedProperty.elementCountMax)
            // Where something is shown by very many, the elements are not looked for one by one.
            if candidates.countMax > changes.order.count + ObservedProperty.elementCountMax {
                return
            }
            let updated = Set(
                candidates.lazy.filter { ($0.change?.kind ?? .update) == .update }.map(
                    \.identity.key))
            if updated.isEmpty { return nil }
            keys = updated
        case .embedded where property.reachesOthers, .mixed:
            if changes.order.isEmpty { return nil }
        default: return nil
        }
    }

    /// Whether that is taken for granted.
    var holdsAll: Bool { keys == nil && !isMixed }

    /// Whether an element does.
    func hold(_ element: UnsafeRawBufferPointer) -> Bool {
        guard isMixed else {
            return element.baseAddress.map { keys?.contains($0.storedLink) ?? true } ?? false
        }
        var isFound = false
        MixedView(element).forEachLink { number, key in
            if let index = schema.classIndexByNumber[number], isUpdated(index, key) {
                isFound = true
            }
        }
        return isFound
    }

    private func isUpdated(_ classIndex: Int, _ key: UInt64) -> Bool {
        changes[ObjectIdentity(classIndex: classIndex, key: key)]?.kind == .update
    }
}
