/// A calculation over columns of what a scan finds.
package protocol ColumnCalculation: AnyObject {
    /// The columns that it needs.
    var references: Set<ColumnReference> { get }

    /// Takes the columns of a snapshot; false where they do not have what is calculated.
    func bind(to columns: BoundColumns) -> Bool
}
