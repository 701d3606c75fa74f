import Rows

/// Which elements of a collection link to objects that were updated.
struct ChangedLinks {
    private let changes: FoldedChanges
    private let member: RowClass.Member
    private let schema: RowSchema

    /// Nil when no element of the property can.
    init?(_ changes: FoldedChanges, _ member: RowClass.Member, _ schema: RowSchema) {
        guard member.storage.shape != .none else { return nil }
        switch member.storage.element {
        case .link:
            let isConcerned = zip(changes.order, changes.outcomes).contains {
                $0.classIndex == member.classIndex && $1.kind == .update
            }
            if !isConcerned { return nil }
        case .mixed: if changes.order.isEmpty { return nil }
        default: return nil
        }
        self.changes = changes
        self.member = member
        self.schema = schema
    }

    /// Whether an element leads to an updated object.
    func hold(_ element: UnsafeRawBufferPointer) -> Bool {
        if member.storage.element == .link, let address = element.baseAddress {
            return isUpdated(member.classIndex, address.storedLink)
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
