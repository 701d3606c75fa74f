import HoldfastBytes
import Glibc

extension RowSchema {
    /// Finds the properties that differ between two rows of a class.
    ///
    /// Compares stored bytes. Embedded objects are compared themselves if their bytes differ, because equal objects have
    /// different bytes in an older layout.
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

    /// Whether two values of a property are equal.
    ///
    /// - `source`: Reads the out-of-line values of both.
    package func isSame(
        _ a: Field, _ b: Field, _ member: RowClass.Member, _ source: any OverflowSource
    ) -> Bool {
        let (isOut, isOtherOut) = (a.isOutOfLine, b.isOutOfLine)
        if isOut == isOtherOut, compareKeys(a.heapOrReference, b.heapOrReference) == 0 {
            return true
        }
        if isOut, isOtherOut, let x = a.overflow, let y = b.overflow,
            compareKeys(x.identity, y.identity) == 0
        {
            // Two versions of the same tree.
            return false
        }
        let isEmbedded = member.storage.element == .embedded
        guard isOut || isOtherOut || isEmbedded else { return false }
        guard member.storage.shape == .single else {
            let before = StoredCollection(a, member.storage, source)
            return before.isEqual(to: StoredCollection(b, member.storage, source)) { x, y in
                isEmbedded && isSameObject(x, y, member, source)
            }
        }
        if isEmbedded { return isSameObject(a.heap, b.heap, member, source) }
        return a.textByteCount == b.textByteCount
            && compareKeys(a.text(source), b.text(source)) == 0
    }

    /// Whether two embedded objects, as they are stored, are equal.
    package func isSameObject(
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
