/// What the steps of a query cost, in units of one index entry that is read after another: some 25 ns.
///
/// Only proportions matter, and only roughly: they decide where an index stops to pay. Measured on LMDB
/// with a million rows in the page cache.
package enum QueryCost {
    /// An entry of an index, a primary key or an inverse link, one of many in order.
    package static let entry = 1
    /// A row, one of many in the order of object keys, tested for a plain condition.
    package static let scannedRow = 2
    /// A row that is looked up, the object keys rising.
    package static let risingRow = 12
    /// A row that is looked up, the object keys in no order.
    package static let anyRow = 24
    /// What planning may always spend: some ten microseconds.
    static let always = 512

    /// A product that does not overflow.
    static func times(_ count: Int, _ cost: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: cost)
        return overflow ? .max : product
    }
}
