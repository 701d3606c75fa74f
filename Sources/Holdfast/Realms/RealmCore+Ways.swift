import HoldfastObjectStore
import HoldfastRows

/// What the program holds of an object's inside: see ``InnerWay``.
extension RealmCore {
    /// Makes a way into an object, which follows the edits of it.
    func way(
        _ steps: [InnerWay.Step], of rootClass: RowClass, _ key: UInt64, isCollection: Bool
    ) -> InnerWay {
        let way = InnerWay(steps, of: rootClass, isCollection: isCollection)
        if !isFrozen {
            ways.note(way, of: ObjectIdentity(classIndex: rootClass.index, key: key))
        }
        return way
    }

    /// Has what the program holds of an object follow an edit.
    func follow(_ edit: InnerWay.Edit, in container: [InnerWay.Step], of root: ObjectIdentity) {
        ways.follow(edit, in: container, of: root)
    }

    /// Has what the program holds of lists follow what others have written. Cost: that of the changes, where anything is held.
    ///
    /// - `own`: The version that a write of the realm's own made: what the program holds has followed that.
    func followOthers(
        from before: ReadTransaction, to after: ReadTransaction, own: UInt64?
    ) throws(StoreError) {
        let lists = ways.lists
        if lists.isEmpty || before.commit == after.commit || before.rows !== after.rows { return }
        let start: UInt64
        if let own { start = own } else { start = try before.state().version }
        if try after.state().version == start { return }
        let changes: FoldedChanges?
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: start, in: after, classes: Set(lists.keys.map(\.classIndex)),
                notesLists: true)
        } catch {
            changes = nil
        }
        for (root, members) in lists {
            if let changes, changes[root]?.kind != .update { continue }
            for member in members {
                if let changes, !(changes[root]?.members.contains(member) ?? false) { continue }
                let edits = changes?.edits(ofList: member, of: root)
                if let edits, !edits.isReplaced {
                    for splice in edits.splices { follow(splice, of: member, root) }
                } else if own == nil, let difference = difference(root, member, before, after) {
                    follow(difference, of: member, root)
                } else {
                    ways.follow(.emptied, in: [.member(member)], of: root)
                }
            }
        }
        ways.commit()
    }

    /// The difference of a list by its elements; nil where the object is not there in both views.
    private func difference(
        _ root: ObjectIdentity, _ member: Int, _ before: ReadTransaction, _ after: ReadTransaction
    ) -> ListDifference? {
        let rowClass = after.rows.classes[root.classIndex]
        guard let old = before.row(classIndex: root.classIndex, key: root.key),
            let new = after.row(classIndex: root.classIndex, key: root.key)
        else { return nil }
        return ListDifference(
            from: rowClass.collection(member, in: old, before).elementBytes,
            to: rowClass.collection(member, in: new, after).elementBytes)
    }

    private func follow(_ difference: ListDifference, of member: Int, _ root: ObjectIdentity) {
        for index in difference.deletions.joined().reversed() {
            ways.follow(.removed(index), in: [.member(member)], of: root)
        }
        for index in difference.insertions.joined() {
            ways.follow(.inserted(index), in: [.member(member)], of: root)
        }
    }

    /// Follows a splice, whose elements that came in the place of others are taken for those, changed.
    private func follow(_ splice: ListSplice, of member: Int, _ root: ObjectIdentity) {
        let index = splice.index + min(splice.removed, splice.inserted)
        for _ in 0..<max(splice.removed - splice.inserted, 0) {
            ways.follow(.removed(index), in: [.member(member)], of: root)
        }
        for _ in 0..<max(splice.inserted - splice.removed, 0) {
            ways.follow(.inserted(index), in: [.member(member)], of: root)
        }
    }
}
