import Query

/// What a look at all objects of a class costs (see ``QueryCost``): at their rows, or at columns that are in
/// memory now.
struct ScanCost {
    /// All of it.
    let whole: Int
    /// What a chunk of columns costs; nil where rows are looked at.
    let chunk: Int?
    private let rowCost: Int

    /// A scan of rows.
    init(rowCount: Int, rowCost: Int) {
        whole = QueryCost.times(rowCount, rowCost)
        chunk = nil
        self.rowCost = rowCost
    }

    /// A scan by columns.
    ///
    /// - `staleRowCount`: How many rows have to be read first, because they have changed since the columns
    ///   were made.
    init(chunkCount: Int, chunk: Int, staleRowCount: Int) {
        whole =
            QueryCost.columnScan + chunkCount * chunk
            + QueryCost.times(staleRowCount, QueryCost.risingRow)
        self.chunk = chunk
        rowCost = 0
    }

    /// Whether columns answer the whole condition, and have the order.
    var isByColumns: Bool { chunk != nil }

    /// What it costs to look at the first rows.
    func cost(ofFirst rowCount: Int) -> Int {
        guard let chunk else { return QueryCost.times(rowCount, rowCost) }
        return min(whole, QueryCost.times(rowCount / ColumnChunk.keyCount + 1, chunk))
    }
}
