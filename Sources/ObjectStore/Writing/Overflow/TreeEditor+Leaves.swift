import HoldfastBytes
import HoldfastRows

extension TreeEditor {
    /// Removes elements for which `isDoomed` returns true. Reads every leaf, and writes the leaves that lose elements.
    ///
    /// - Returns: Whether there were any.
    func removeAll(_ isDoomed: (CollectionView, Int) -> Bool) -> Bool {
        var isChanged = false
        var index = 0
        while index < count, let (leaf, first) = tree.leaf(at: index) {
            var slices: [LeafSlice] = []
            var start = 0
            for offset in 0..<leaf.count where isDoomed(leaf.values, offset) {
                note(first + offset - slices.count, removed: 1, inserted: 0)
                slices.append(LeafSlice(leaf, start..<offset))
                start = offset + 1
            }
            // The rest of the previous leaf may have been joined with this one.
            let leafEnd = first + leaf.count
            guard start > 0 else {
                index = leafEnd
                continue
            }
            slices.append(LeafSlice(leaf, start..<leaf.count))
            let before = count
            edit(at: index) { _, _ in slices }
            guard count < before else { break }
            index = leafEnd - (before - count)
            isChanged = true
        }
        return isChanged
    }

    /// Rewrites leaves; reads every one.
    ///
    /// - Parameters:
    ///   - rewrite: Appends a leaf's elements, as many as before, as they are to be.
    ///   - isConcerned: Whether a leaf is to be rewritten.
    /// - Returns: Whether there were any.
    func rewriteLeaves(
        _ rewrite: (LeafView, ByteBuffer) -> Void, where isConcerned: (LeafView) -> Bool
    ) -> Bool {
        var isChanged = false
        let buffer = ByteBuffer(capacity: 4096)
        var index = 0
        while index < count, let (leaf, first) = tree.leaf(at: index) {
            index = first + leaf.count
            guard isConcerned(leaf) else { continue }
            buffer.removeAll()
            rewrite(leaf, buffer)
            let rewritten = LeafView(buffer.bytes, storage)
            guard rewritten.count == leaf.count else { continue }
            for offset in 0..<leaf.count where !leaf.values.isSame(offset, rewritten.values, offset)
            {
                note(first + offset, removed: 1, inserted: 1)
            }
            edit(at: first) { _, _ in [LeafSlice(rewritten, 0..<rewritten.count)] }
            isChanged = true
        }
        return isChanged
    }
}
