import HoldfastRows

/// The rows that evaluations on a view have found last by their keys, so that an object that a rule reads and a shown link leads
/// to is looked up once. One thread at a time uses it.
///
/// Benchmark row: `user-lists`.
final class RecentRows {
    private struct Entry {
        var classIndex = -1
        var key: UInt64 = 0
        var row: RowView?
    }

    /// The links of a page, and the objects that its plan was tried with: a row replaces another one whose key ends alike.
    private static let count = 64

    /// Made when the first row is asked for.
    private var entries: [Entry] = []

    /// Returns the row of an object, which `find` finds where it is not among them.
    func row(
        classIndex: Int, key: UInt64, _ find: () throws(StoreError) -> RowView?
    ) throws(StoreError) -> RowView? {
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.count) }
        let index = Int(truncatingIfNeeded: key) & (Self.count - 1)
        if entries[index].key == key, entries[index].classIndex == classIndex {
            return entries[index].row
        }
        let row = try find()
        entries[index] = Entry(classIndex: classIndex, key: key, row: row)
        return row
    }
}
