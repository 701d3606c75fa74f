import HoldfastObjectStore
import HoldfastRows

/// The program's references into an object's inside: see ``InnerWay``.
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

    /// Has what the program holds of collections follow what others have written. Cost: that of the changes, where anything is held.
    ///
    /// - `own`: The version that a write of the realm's own made: what the program holds has followed that.
    func followOthers(
        from before: ReadTransaction, to after: ReadTransaction, own: UInt64?
    ) throws(StoreError) {
        if before.rows !== after.rows { return }
        let held = ways.inCollections
        if held.isEmpty { return }
        let start: UInt64
        if let own { start = own } else { start = try before.state().version }
        if try after.state().version == start { return }
        let changes = try? FoldedChanges(
            after: start, in: after, classes: Set(held.keys.map(\.classIndex)), notesLists: true,
            formerByteCountMax: 0)
        let movement = InnerMovement(
            before: before, after: after, changes: changes, isBlind: own != nil)
        for (root, ways) in held { movement.follow(ways, of: root) }
    }

    /// More of the change log is not read for one object: its lists are compared.
    private static let recordCountMax = 4096

    /// How what is inside of objects has moved from another view of the store to the one that the realm reads in; nil where the
    /// schema is another, and what is inside is known by its place.
    func movement(from before: ReadTransaction, of root: ObjectIdentity) -> InnerMovement? {
        let after = view
        if before.rows !== after.rows { return nil }
        var changes: FoldedChanges?
        if !isInWrite, let start = try? before.state().version, let end = try? after.state().version
        {
            changes = try? FoldedChanges(
                after: start, in: after, recordCountMax: Self.recordCountMax,
                classes: [root.classIndex], notesLists: true, formerByteCountMax: 0)
            if changes?.through != end { changes = nil }
        }
        return InnerMovement(before: before, after: after, changes: changes)
    }

    /// The way that led to something before the write under way; nil where the write has made it.
    func stepsBeforeWrite(_ way: InnerWay, of root: ObjectIdentity) -> [InnerWay.Step]? {
        let moved = InnerWay(way.steps, of: way.rootClass, isCollection: way.isCollection)
        InnerMovement(before: view, after: committed, changes: nil).follow([moved], of: root)
        return moved.isGone ? nil : moved.steps
    }
}
