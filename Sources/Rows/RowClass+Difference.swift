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
        switch member.storage.shape {
        case .single: return isSameObject(a, b, member)
        case .map:
            let before = MapView(a, element: .embedded)
            let after = MapView(b, element: .embedded)
            return before.count == after.count
                && (0..<before.count).allSatisfy {
                    compareKeys(before.keys.bytes($0), after.keys.bytes($0)) == 0
                }
                && areSameObjects(before.values, after.values, member)
        case .list, .set, .none:
            return areSameObjects(
                CollectionView(a, element: .embedded), CollectionView(b, element: .embedded), member
            )
        }
    }

    private func areSameObjects(
        _ before: CollectionView, _ after: CollectionView, _ member: RowClass.Member
    ) -> Bool {
        before.count == after.count
            && (0..<before.count).allSatisfy { index in
                if before.isNull(index) || after.isNull(index) {
                    return before.isNull(index) == after.isNull(index)
                }
                return isSameObject(before.bytes(index), after.bytes(index), member)
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
