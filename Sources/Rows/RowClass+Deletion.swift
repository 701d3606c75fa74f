import HoldfastObjectModel

extension RowClass {
    /// Whether a row of an embedded object is to go with an object that goes away: whether it holds it by a
    /// link of its own that says so.
    ///
    /// - `classIndex`: The class of the object that goes away.
    /// - `source`: Reads out-of-line collections.
    func goes(
        _ row: RowView, withTarget key: UInt64, classIndex: Int, _ source: (any OverflowSource)?
    ) -> Bool {
        linkingMembers.contains { member in
            let compiled = members[member]
            guard compiled.onDelete == .cascade, compiled.classIndex == classIndex else {
                return false
            }
            if compiled.storage.shape == .single {
                let field = field(member, in: row)
                return !field.isNull && field.load(UInt64.self) == key
            }
            func isTarget(_ part: CollectionView, _ offset: Int) -> Bool {
                !part.isNull(offset) && part.pointer(offset).storedLink == key
            }
            guard let source else {
                let links = inlineLeaf(member, in: row).values
                return (0..<links.count).contains { isTarget(links, $0) }
            }
            return !collection(member, in: row, source).forEach(within: nil) { part, offset, _ in
                !isTarget(part, offset)
            }
        }
    }
}
