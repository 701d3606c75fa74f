import HoldfastRows

/// The columns of one snapshot, for one query.
package struct BoundColumns {
    /// The chunks of each column.
    package var columns: [ColumnReference: [ColumnChunk?]]
    /// The snapshot.
    package var source: any ObjectSource

    /// Makes a set of columns.
    package init(columns: [ColumnReference: [ColumnChunk?]], source: any ObjectSource) {
        self.columns = columns
        self.source = source
    }

    func column(_ reference: ColumnReference) -> [ColumnChunk?] { columns[reference] ?? [] }
}
