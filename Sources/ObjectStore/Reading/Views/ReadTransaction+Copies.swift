import HoldfastRows

extension ReadTransaction {
    /// Returns what the view shows of a copy that was made for the same reader before; nil where it hides the object, or has none.
    package func shown(copy row: RowView, _ rowClass: RowClass, _ key: UInt64) -> RowView? {
        guard let sighted else { return row }
        return sighted.show(copy: row, rowClass, key)
    }

    /// Copies what the view shows of an object; nil where that is nothing.
    ///
    /// - Throws: ``StoreError`` as ``checkFailure()``.
    package func copy(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) -> StoredObject? {
        let mark = shownMark
        defer { releaseShown(to: mark) }
        let row = shown(rowClass, key, row)
        try checkFailure()
        return row.map {
            StoredObject(schema: rows, classIndex: rowClass.index, key: key, row: $0)
        }
    }
}
