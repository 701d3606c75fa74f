import HoldfastBytes
import HoldfastRows

extension TreeEditor {
    /// Removes the links to an object that is deleted from a collection of `mixed` values: such elements vanish from lists and
    /// sets, also from lists within elements; others become null.
    ///
    /// - `withoutLinks`: Appends the elements of a leaf without the links to the object.
    /// - Returns: Whether the collection had such links.
    func removeMixedLinks(
        to target: (classNumber: UInt32, key: UInt64),
        _ withoutLinks: (LeafView, ByteBuffer) -> Void
    ) -> Bool {
        func isLink(_ part: CollectionView, _ offset: Int) -> Bool {
            guard !part.isNull(offset) else { return false }
            return MixedView(part.bytes(offset)).link.map { $0 == target } ?? false
        }
        func holdsLink(_ part: CollectionView, _ offset: Int) -> Bool {
            guard !part.isNull(offset) else { return false }
            var isFound = false
            MixedView(part.bytes(offset)).forEachLink { if ($0, $1) == target { isFound = true } }
            return isFound
        }
        func concerns(_ leaf: LeafView) -> Bool {
            (0..<leaf.count).contains { holdsLink(leaf.values, $0) }
        }
        switch storage.shape {
        case .map: return rewriteLeaves(withoutLinks, where: concerns)
        case .set: return removeFromSet(target, holdsLink)
        case .list, .single, .none:
            let isShorter = removeAll(isLink)
            return rewriteLeaves(withoutLinks, where: concerns) || isShorter
        }
    }

    /// An element of a set that changes has another offset, and may be there already.
    private func removeFromSet(
        _ target: (classNumber: UInt32, key: UInt64), _ holdsLink: (CollectionView, Int) -> Bool
    ) -> Bool {
        let changed = ScalarCollectionBuilder()
        changed.reset(.mixed)
        let value = ByteBuffer(capacity: 64)
        let isChanged = removeAll { part, offset in
            guard holdsLink(part, offset) else { return false }
            let old = MixedView(part.bytes(offset))
            if old.link == nil {
                value.removeAll()
                MixedWriter(value).copy(old, losesElements: true) { $0 == target }
                changed.append(text: value.bytes)
            }
            return true
        }
        let encoded = ByteBuffer(capacity: 64)
        changed.write(to: encoded, isSet: true)
        let elements = LeafView(encoded.bytes, storage)
        let order = SetOrder()
        for offset in 0..<elements.count {
            let found = tree.lowerBound { leaf, index in
                order.compare(leaf.values, index, elements.values, offset)
            }
            guard let found, !found.isEqual else { continue }
            insert(LeafSlice(elements, offset..<(offset + 1)), at: found.index)
        }
        return isChanged
    }
}
