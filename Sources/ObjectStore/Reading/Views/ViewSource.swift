/// The parts of a store that every view of it reads with, beside a snapshot.
struct ViewSource: Sendable {
    let catalogs: CatalogHistory
    /// The store's columns; nil where what is read is not committed.
    let columns: ColumnStore?
    /// The samples of the store's classes; nil where what is read is not committed.
    var samples: ClassSamples?
    /// The epoch of the store.
    let epoch: UInt64
}
