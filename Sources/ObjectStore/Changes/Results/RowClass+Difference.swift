import HoldfastBytes
import HoldfastRows

extension RowClass {
    /// A row of a state.
    package typealias StateRow = (row: RowView, view: ReadTransaction)

    /// Whether a property differs between two states of an object, judging by its stored bytes. For a large collection these are
    /// its reference, unless one of the two is in its row. For embedded objects with out-of-line values they are the rows. Cost:
    /// linear in the bytes compared.
    package func differs(_ member: Int, from old: StateRow, to new: StateRow) -> Bool {
        differs(member, from: old, to: new, member, of: self)
    }

    /// Whether a property differs from its value under another version of the schema.
    package func differs(
        _ member: Int, from old: StateRow, to new: StateRow, _ newMember: Int, of other: RowClass
    ) -> Bool {
        let storage = members[member].storage
        if storage.shape == .none { return false }
        if storage != other.members[newMember].storage { return true }
        let (a, b) = (field(member, in: old.row), other.field(newMember, in: new.row))
        if a.isNull || b.isNull { return a.isNull != b.isNull }
        if storage.isInHeap, a.isOutOfLine || b.isOutOfLine {
            if a.isOutOfLine, b.isOutOfLine, compareKeys(a.heapOrReference, b.heapOrReference) == 0
            {
                return false
            }
            if storage.shape != .single {
                // Different references are different collections. A collection may be shown as a copy in the row, which may be as
                // long.
                if a.isOutOfLine, b.isOutOfLine { return true }
                return !StoredCollection(a, storage, old.view).isEqual(
                    to: StoredCollection(b, storage, new.view))
            }
        }
        if storage.element == .embedded, self === other, !old.row.holdsOverflow,
            !new.row.holdsOverflow
        {
            return !new.view.rows.isSame(a, b, members[member], new.view)
        }
        if storage.shape != .single { return compareKeys(a.heap, b.heap) != 0 }
        return compareKeys(a.bytes(storage, old.view), b.bytes(storage, new.view)) != 0
    }
}
