import HoldfastRows

/// A calculation over columns of what a scan finds.
package protocol ColumnCalculation: AnyObject {
    /// The columns that it needs.
    var references: Set<ColumnReference> { get }

    /// The classes of which objects are read when columns are taken.
    var farClasses: [Int] { get }

    /// Takes the columns of a snapshot; false where they do not have what is calculated, or there is too little memory or time.
    func bind(to columns: BoundColumns, within budget: Budget) -> Bool
}
