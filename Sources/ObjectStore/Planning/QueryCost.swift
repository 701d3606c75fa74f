/// What the steps of a query cost, in units of one index entry that is read after another: some 20 ns.
///
/// Only proportions matter, and only roughly: they decide where an index stops to pay. Measured by
/// `Benchmarks --only plans` with 300,000 people on LMDB: 19 to 37 ns an entry, 44 ns a scanned row, 0.75 µs
/// a row that is looked up among others far from it, 1 µs where the order is that of another index.
package enum QueryCost {
    /// An entry of an index, a primary key or an inverse link, one of many in order.
    package static let entry = 1
    /// A row, one of many in the order of object keys, tested for a plain condition.
    package static let scannedRow = 2
    /// A row that is looked up, the object keys rising.
    package static let risingRow = 32
    /// A row that is looked up, the object keys in no order.
    package static let anyRow = 44
    /// A row or an entry that is read to follow a link from another row: most are in the processor's cache.
    package static let followed = 8
    /// What planning may always spend: some ten microseconds.
    static let always = 512

    /// A product that does not overflow.
    static func times(_ count: Int, _ cost: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: cost)
        return overflow ? .max : product
    }
}
