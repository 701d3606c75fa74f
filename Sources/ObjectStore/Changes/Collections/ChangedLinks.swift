import HoldfastRows

/// Which elements of a collection show something of other objects that was updated.
struct ChangedLinks {
    /// The linked objects of which something that is shown has changed.
    private enum Updated {
        /// Those that were updated themselves.
        case themselves
        case keys(Set<UInt64>)
        /// Each may be one.
        case any
    }

    private let changes: FoldedChanges
    private let schema: RowSchema
    private let member: RowClass.Member
    private let targets: ObservedQuery?
    private var updated = Updated.any

    /// Nil when no element of the property can.
    ///
    /// Cost: a look at the changes up to the first of the linked class; where something is shown of objects beyond, up to
    /// ``ObservedProperty/elementCountMax`` changes and as many objects.
    init?(_ changes: FoldedChanges, _ property: ObservedProperty, in transaction: ReadTransaction) {
        member = property.compiled
        targets = property.targets
        self.changes = changes
        schema = transaction.rows
        if member.storage.shape == .none { return nil }
        switch member.storage.element {
        case .link:
            guard let targets, targets.dependsOnOthers else {
                let classIndex = member.classIndex
                guard changes.order.contains(where: { $0.classIndex == classIndex }) else {
                    return nil
                }
                updated = .themselves
                return
            }
            // Where that is much, the elements are not looked for one by one.
            if changes.order.count > ObservedProperty.elementCountMax { return }
            let candidates = targets.candidates(
                changes, in: transaction, dependentCountMax: ObservedProperty.elementCountMax)
            if candidates.countMax > changes.order.count + ObservedProperty.elementCountMax {
                return
            }
            let keys = Set(
                candidates.lazy.filter { ($0.change?.kind ?? .update) == .update }.map(
                    \.identity.key))
            if keys.isEmpty { return nil }
            updated = .keys(keys)
        case .embedded where property.reachesOthers, .mixed:
            if changes.order.isEmpty { return nil }
        default: return nil
        }
    }

    private var isMixed: Bool { member.storage.element == .mixed }

    /// Whether that is taken for granted.
    var holdsAll: Bool {
        if case .any = updated { !isMixed } else { false }
    }

    /// Whether an element does.
    func hold(_ element: UnsafeRawBufferPointer) -> Bool {
        guard isMixed else {
            guard let key = element.baseAddress?.storedLink else { return false }
            return switch updated {
            case .themselves: isUpdated(member.classIndex, key)
            case .keys(let keys): keys.contains(key)
            case .any: true
            }
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
        let identity = ObjectIdentity(classIndex: classIndex, key: key)
        guard let change = changes[identity], change.kind == .update else { return false }
        let candidate = ObservedCandidate(
            identity: identity, change: change, position: nil, of: changes)
        return targets.map { !$0.isUncounted(candidate) } ?? true
    }
}
