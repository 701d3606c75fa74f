import HoldfastBytes
import Glibc

extension RowSchema {
    /// Finds the properties that differ between two rows of a class.
    ///
    /// Stored bytes are compared, and only where those of embedded objects differ, the objects
    /// themselves: the same object has other bytes in an older layout.
    ///
    /// - `source`: Reads out-of-line values.
    package func changedMembers(
        of rowClass: RowClass, from old: RowView, to new: RowView, _ source: any OverflowSource
    ) -> MemberSet {
        var changed = MemberSet()
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let before = rowClass.field(member, in: old)
            let after = rowClass.field(member, in: new)
            if before.isNull != after.isNull {
                changed.insert(member)
            } else if !before.isNull {
                if compiled.storage.isInHeap {
                    if !isSame(before, after, compiled, source) { changed.insert(member) }
                } else if memcmp(before.slot, after.slot, compiled.storage.slotByteCount) != 0 {
                    changed.insert(member)
                }
            }
        }
        return changed
    }

    private func isSame(
        _ a: Field, _ b: Field, _ member: RowClass.Member, _ source: any OverflowSource
    ) -> Bool {
        if a.isOutOfLine || b.isOutOfLine { return isSameOverflow(a, b, member, source) }
        let (a, b) = (a.heap, b.heap)
        if compareKeys(a, b) == 0 { return true }
        guard member.storage.element == .embedded else { return false }
        if member.storage.shape == .single { return isSameObject(a, b, member, source) }
        return StoredCollection(LeafView(a, member.storage)).isEqual(
            to: StoredCollection(LeafView(b, member.storage))
        ) { isSameObject($0, $1, member, source) }
    }

    private func isSameOverflow(
        _ a: Field, _ b: Field, _ member: RowClass.Member, _ source: any OverflowSource
    ) -> Bool {
        if a.isOutOfLine, b.isOutOfLine {
            if compareKeys(a.heapOrReference, b.heapOrReference) == 0 { return true }
            if let x = a.overflow, let y = b.overflow, compareKeys(x.identity, y.identity) == 0 {
                // One tree at two times.
                return false
            }
        }
        if member.storage.shape == .single {
            return a.textByteCount == b.textByteCount
                && compareKeys(a.text(source), b.text(source)) == 0
        }
        let before = StoredCollection(a, member.storage, source)
        let after = StoredCollection(b, member.storage, source)
        return before.isEqual(to: after) { x, y in
            member.storage.element == .embedded && isSameObject(x, y, member, source)
        }
    }

    private func isSameObject(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ member: RowClass.Member,
        _ source: any OverflowSource
    ) -> Bool {
        let embedded = classes[member.classIndex]
        guard let before = RowView(a), let after = RowView(b), embedded.canRead(before),
            embedded.canRead(after)
        else { return false }
        return changedMembers(of: embedded, from: before, to: after, source).isEmpty
    }
}
