import Glibc

extension RowClass {
    /// The properties whose stored bytes differ between two rows of the class.
    ///
    /// An embedded object that was stored in an older layout counts as changed when it is written again.
    package func changedMembers(from old: RowView, to new: RowView) -> MemberSet {
        var changed = MemberSet()
        for (member, compiled) in members.enumerated() where compiled.storage.shape != .none {
            let before = field(member, in: old)
            let after = field(member, in: new)
            if before.isNull != after.isNull {
                changed.insert(member)
            } else if !before.isNull {
                if compiled.storage.isInHeap {
                    let a = before.heap
                    let b = after.heap
                    if CollectionOrder.compare(a, b) != 0 { changed.insert(member) }
                } else if memcmp(before.slot, after.slot, compiled.storage.slotByteCount) != 0 {
                    changed.insert(member)
                }
            }
        }
        return changed
    }
}
