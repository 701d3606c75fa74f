import HoldfastRows

extension StoredCollection {
    /// Finds the element that a path names; nil if it does not exist, and for the position after the last one.
    package func element(_ element: EditPath.Element) -> (part: CollectionView, offset: Int)? {
        switch element {
        case .index(let index): self.element(index)
        case .end: nil
        case .key(let key):
            key.withUnsafeBytes { index(ofKey: $0) }.flatMap { self.element($0) }
        }
    }
}

extension RowClass {
    /// Finds the embedded object at the end of a way from an object of the class.
    ///
    /// - Parameters:
    ///   - owners: The embedded objects on the way, from the outside in.
    ///   - row: The object's row.
    ///   - schema: That of the class.
    ///   - source: Where values that are out of line are read: asked for where the way leads through a collection.
    /// - Returns: The object, that of `row` for a way without steps; nil if one on the way is not there.
    package func embedded(
        along owners: [EditPath.Owner], in row: RowView, of schema: RowSchema,
        _ source: @autoclosure () -> any OverflowSource
    ) -> (rowClass: RowClass, row: RowView)? {
        var found = (rowClass: self, row: row)
        for owner in owners {
            let (rowClass, outer) = found
            var inner: RowView?
            if let element = owner.element {
                let collection = rowClass.collection(owner.member, in: outer, source())
                if let (part, offset) = collection.element(element), !part.isNull(offset) {
                    inner = RowView(part.bytes(offset))
                }
            } else {
                inner = rowClass.embedded(owner.member, in: outer)
            }
            guard let inner else { return nil }
            found = (schema.classes[rowClass.members[owner.member].classIndex], inner)
        }
        return found
    }
}
