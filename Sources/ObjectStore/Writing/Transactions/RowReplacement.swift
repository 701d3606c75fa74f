import HoldfastRows

/// The way in which a row replaces another one, see ``WriteTransaction/replace(_:_:_:by:path:_:)``.
struct RowReplacement {
    /// Whether the transaction's writer makes the change; false if it follows from another change.
    var isAct = true
    /// Whether the inverse links follow; false if the caller changes them.
    var changesLinks = true
    /// Whether a migration under way takes the object; false if the caller passes it on.
    var entersMigration = true
    /// The properties that are known to differ: a tree that one transaction changes again has the same reference.
    var changed = MemberSet()
    /// The known edits of lists, by member.
    var lists: [Int: ListEdits] = [:]

    /// The edits of the changed lists, except the lists that were replaced.
    func listChanges(
        _ rowClass: RowClass, _ changed: MemberSet, from old: RowView, to new: RowView
    ) -> [ListChange] {
        var changes: [ListChange] = []
        for member in rowClass.listMembers where changed.contains(member) {
            var edits = lists[member] ?? ListEdits()
            if edits.isReplaced || edits.splices.isEmpty {
                let (before, after) = (
                    rowClass.field(member, in: old), rowClass.field(member, in: new)
                )
                if before.isOutOfLine || after.isOutOfLine { continue }
                let element = rowClass.members[member].storage.element
                edits = ListEdits(
                    from: CollectionView(before.heap, element: element),
                    to: CollectionView(after.heap, element: element))
            }
            if edits.isReplaced { continue }
            changes.append(ListChange(property: rowClass.members[member].number, edits: edits))
        }
        return changes
    }
}
