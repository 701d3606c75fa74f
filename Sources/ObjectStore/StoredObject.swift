import HoldfastObjectModel
import HoldfastRows

/// A copy of an object's row that outlives the transaction it was read in.
package final class StoredObject: Sendable {
    /// The schema that the row is read with.
    package let schema: RowSchema
    /// The class's position in the schema.
    package let classIndex: Int
    /// The object key.
    package let key: UInt64
    /// The row's bytes.
    package let bytes: [UInt8]

    /// Copies a row.
    package init(schema: RowSchema, classIndex: Int, key: UInt64, row: RowView) {
        self.schema = schema
        self.classIndex = classIndex
        self.key = key
        bytes = Array(row.bytes)
    }

    /// The class.
    package var rowClass: RowClass { schema.classes[classIndex] }

    /// Whether one of its values is out of line.
    package var holdsOverflow: Bool { withRow { $0.holdsOverflow } ?? false }

    /// Runs `body` with the row.
    package func withRow<Result>(_ body: (RowView) -> Result) -> Result? {
        bytes.withUnsafeBytes { RowView($0).map(body) }
    }
}

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
