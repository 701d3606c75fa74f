import HoldfastRows

/// A copy of an object's row that outlives the transaction it was read in.
package final class StoredObject: Sendable {
    /// The schema that the row is read with.
    package let schema: RowSchema
    /// The class's position in the schema.
    package let classIndex: Int
    package let key: UInt64
    package let bytes: [UInt8]

    package init(schema: RowSchema, classIndex: Int, key: UInt64, row: RowView) {
        self.schema = schema
        self.classIndex = classIndex
        self.key = key
        bytes = Array(row.bytes)
    }

    package var rowClass: RowClass { schema.classes[classIndex] }

    /// Whether one of its values is out of line.
    package var holdsOverflow: Bool { withRow { $0.holdsOverflow } ?? false }

    package func withRow<Result>(_ body: (RowView) -> Result) -> Result? {
        bytes.withUnsafeBytes { RowView($0).map(body) }
    }
}
