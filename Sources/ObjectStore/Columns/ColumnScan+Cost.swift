import Query
import Rows

extension ColumnScan {
    /// One row of so many is taken to pass the columns, where the rest of the condition is tested on rows.
    private static let testedPart = 16

    /// What a scan for a query costs by the columns that are there; nil where they answer nothing of its
    /// condition. Nothing is built, and nothing counts as a use.
    ///
    /// What matches is not known: rows that are read to be handed over or sorted are left out, which every
    /// other plan reads too, and of those that are tested besides columns there is a guess.
    ///
    /// - `needsOrder`: Whether it is nil too where no column has the query's order, because an index has it.
    /// - `rowCost`: What it costs to test a row.
    ///
    /// Cost: for a class without columns that of a lock; else some microseconds.
    static func cost(
        _ query: ObjectQuery, _ rowClass: RowClass, in transaction: ReadTransaction,
        needsOrder: Bool = false, rowCost: Int = QueryCost.scannedRow
    ) -> ScanCost? {
        guard let store = transaction.columns, store.hasColumns(rowClass) else { return nil }
        let schema = transaction.rows
        let program = ColumnProgram(
            query.predicate, classIndex: rowClass.index, schema: schema
        ) { store.extent(of: [$0], in: transaction) != nil }
        guard let program else { return nil }
        var references = program.references
        if !query.isCounted, !query.sort.isEmpty {
            let order = ColumnOrder(query.sort, schema: schema)?.reference
            if let order, store.extent(of: [order], in: transaction) != nil {
                references.insert(order)
            } else if needsOrder {
                return nil
            }
        }
        guard let extent = store.extent(of: references, in: transaction) else { return nil }
        var chunk = QueryCost.columnChunk
        if program.residual != nil { chunk += ColumnChunk.keyCount / testedPart * rowCost }
        for reference in references where reference.member >= 0 {
            let storage = schema.classes[reference.classIndex].members[reference.member].storage
            switch ColumnForm(storage) {
            case .texts: chunk += QueryCost.textChunk
            case .collections: chunk += QueryCost.collectionChunk
            default: chunk += QueryCost.numberChunk
            }
        }
        return ScanCost(
            chunkCount: extent.chunkCount, chunk: chunk, staleRowCount: extent.staleRowCount)
    }
}
