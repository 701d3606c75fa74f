/// One change of a list: from an index on some elements were taken out, and others put in their place.
package struct ListSplice: Hashable, Sendable {
    /// Where, in the list as it was just before.
    package var index: Int
    /// How many elements were taken out.
    package var removed: Int
    /// How many elements were put in.
    package var inserted: Int

    /// Makes a splice.
    package init(_ index: Int, removed: Int, inserted: Int) {
        self.index = index
        self.removed = removed
        self.inserted = inserted
    }

    /// This splice and the next one as one; nil where both are needed to tell the same.
    func joined(with next: ListSplice) -> ListSplice? {
        if self == next, removed == 1, inserted == 1 { return self }
        if removed == 0, next.removed == 0, (index...(index + inserted)).contains(next.index) {
            return ListSplice(index, removed: 0, inserted: inserted + next.inserted)
        }
        if inserted == 0, next.inserted == 0,
            (next.index...(next.index + next.removed)).contains(index)
        {
            return ListSplice(next.index, removed: removed + next.removed, inserted: 0)
        }
        return nil
    }
}
