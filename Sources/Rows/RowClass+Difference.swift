import Bytes
import Glibc

extension RowSchema {
    /// The properties that differ between two rows of a class.
    ///
    /// Stored bytes are compared, and only where those of embedded objects differ, the objects
    /// themselves: the same object has other bytes in an older layout.
    package func changedMembers(of rowClass: RowClass, from old: RowView, to new: RowView)
        -> MemberSet
    {
        var changed = MemberSet()
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let before = rowClass.field(member, in: old)
            let after = rowClass.field(member, in: new)
            if before.isNull != after.isNull {
                changed.insert(member)
            } else if !before.isNull {
                if compiled.storage.isInHeap {
                    if !isSame(before.heap, after.heap, compiled) { changed.insert(member) }
                } else if memcmp(before.slot, after.slot, compiled.storage.slotByteCount) != 0 {
                    changed.insert(member)
                }
            }
        }
        return changed
    }

    private func isSame(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ member: RowClass.Member
    ) -> Bool {
        if compareKeys(a, b) == 0 { return true }
        guard member.storage.element == .embedded else { return false }
        if member.storage.shape == .single { return isSameObject(a, b, member) }
        let before = CollectionView(a, element: .embedded)
        let after = CollectionView(b, element: .embedded)
        return before.count == after.count
            && (0..<before.count).allSatisfy {
                isSameObject(before.bytes($0), after.bytes($0), member)
            }
    }

    private func isSameObject(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ member: RowClass.Member
    ) -> Bool {
        let embedded = classes[member.classIndex]
        guard let before = RowView(a), let after = RowView(b), embedded.canRead(before),
            embedded.canRead(after)
        else { return false }
        return changedMembers(of: embedded, from: before, to: after).isEmpty
    }
}
