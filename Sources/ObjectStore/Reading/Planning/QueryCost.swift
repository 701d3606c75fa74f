import HoldfastQuery

/// The costs of a query's steps, in units of one index entry that is read after another: some 20 ns.
///
/// Only proportions matter, and only roughly: they decide at which size an index stops to pay. Measured with 300,000 people on
/// LMDB: 19 to 37 ns an entry, 44 ns a scanned row, 0.75 µs a row that is looked up among distant ones, 1 µs in the order of
/// another index, and 1.7 µs with a million people. In a column: 0.1 ns an int, 0.4 ns a double, 0.15 ns a text with another
/// hash, 1.2 ns a text that is searched, up to 5 ns a text that is tested by itself, and 1.5 to 4 ns a list.
package enum QueryCost {
    /// An entry of an index, a primary key or an inverse link, one of many in order.
    package static let entry = 1
    /// A row, one of many in the order of object keys, tested for a plain condition.
    package static let scannedRow = 2
    /// A row that is looked up, the object keys rising.
    package static let risingRow = 32
    /// A row that is looked up, the object keys in no order.
    package static let anyRow = 64
    /// A row or an entry that is read to follow a link from another row: most are in the processor's cache.
    package static let followed = 8
    /// Finding the cells that cover a region, and the first entry of each: half of the usual time, because a cover is kept with
    /// its region.
    static let cover = 750
    /// Testing a row of a scan for a condition, in addition to ``scannedRow`` and without the rows behind links.
    static func test(_ predicate: Predicate?) -> Int {
        switch predicate {
        case nil, .constant: return 0
        case .not(let part): return test(part)
        case .and(let parts), .or(let parts): return parts.reduce(0) { $0 + test($1) }
        // Whether a point lies in a region.
        case .within: return 1
        case .comparison(let comparison):
            switch comparison.comparison {
            // To look for words in a text, or for a regular expression.
            case .matches, .text: return 16
            default: return 0
            }
        }
    }
    /// To make columns ready for a query.
    package static let columnScan = 128
    /// A chunk of columns, in addition to the cost of its properties: finding its objects and counting them.
    package static let columnChunk = 20
    /// The ints, bools, dates or links of a chunk.
    package static let numberChunk = 50
    /// The doubles or floats of a chunk.
    package static let doubleChunk = 150
    /// Returns the cost of the texts of a chunk; `effort` is nil where they are sorted by.
    package static func textChunk(_ effort: TextEffort?) -> Int {
        guard let effort else { return 600 }
        return 50 * effort.hashPassCount + 400 * effort.searchCount + 600 * effort.testCount
    }
    /// Returns the cost of the collections of a chunk; `effort` is nil where they are not of texts.
    package static func collectionChunk(_ effort: TextEffort?) -> Int {
        guard let effort, effort.searchCount + effort.testCount == 0 else { return 1600 }
        return 500 + 50 * effort.hashPassCount
    }
    /// A chunk of a class that is reached by links, in addition to the cost of its properties: noting the objects that match.
    package static let farChunk = 50
    /// The cost that planning may always have: some ten microseconds.
    package static let always = 512

    /// Adds without overflow.
    static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    /// Multiplies without overflow.
    static func times(_ count: Int, _ cost: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: cost)
        return overflow ? .max : product
    }
}

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
