import HoldfastQuery

/// The cost of looking at all objects of a class (see ``QueryCost``): at their rows, or at columns that are in memory now.
struct ScanCost {
    let whole: Int
    /// The cost of a chunk of columns; nil where rows are looked at.
    let chunk: Int?
    /// The cost of columns before the first chunk; 0 where rows are looked at.
    let start: Int
    private let rowCost: Int

    init(rowCount: Int, rowCost: Int) {
        whole = QueryCost.times(rowCount, rowCost)
        chunk = nil
        start = 0
        self.rowCost = rowCost
    }

    /// A scan by columns.
    ///
    /// - `far`: The cost of the classes that are reached by links: all of each is evaluated first.
    /// - `staleRowCount`: The number of rows to be read first, because they have changed since the columns were made.
    init(chunkCount: Int, chunk: Int, far: Int, staleRowCount: Int) {
        start = QueryCost.columnScan + far + QueryCost.times(staleRowCount, QueryCost.risingRow)
        whole = start + chunkCount * chunk
        self.chunk = chunk
        rowCost = 0
    }

    /// Whether columns answer the whole condition, and have the order.
    var isByColumns: Bool { chunk != nil }

    /// Estimates the cost of looking at the first rows.
    func cost(ofFirst rowCount: Int) -> Int {
        guard let chunk else { return QueryCost.times(rowCount, rowCost) }
        return min(whole, QueryCost.times(rowCount / ColumnChunk.keyCount + 1, chunk))
    }
}
