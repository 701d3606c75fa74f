/// What is calculated over columns of what a scan finds.
package protocol ColumnCalculation: AnyObject {
    /// The columns that it needs.
    var references: Set<ColumnReference> { get }

    /// The classes of which every object may be read as soon as columns are taken.
    var farClasses: [Int] { get }

    /// Takes the columns of a snapshot.
    ///
    /// - `byteCountMax`: Memory for what is made of them.
    /// - `isInTime`: Asked now and then.
    /// - Returns: Whether they have what is calculated.
    func bind(to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool) -> Bool
}
