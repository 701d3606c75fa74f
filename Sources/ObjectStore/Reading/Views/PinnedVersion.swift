/// One version of a store that stays readable as long as this is referenced. Thread-safe.
///
/// It keeps a snapshot open: the engine keeps the pages of the version meanwhile, so that the data file grows with every commit.
/// A change of the schema does not concern it: it is read with the catalog of its version.
package final class PinnedVersion: Sendable {
    package let version: StoreVersion
    /// The number of the engine's commit that has it.
    package var commit: UInt64 { snapshot.commit }
    private let snapshot: SharedSnapshot
    private let catalog: Catalog
    private let source: ViewSource

    /// Takes over a snapshot.
    ///
    /// - Throws: ``StoreError`` `.storage` when it can't be read.
    init(_ snapshot: SharedSnapshot, _ catalog: Catalog, _ source: ViewSource) throws(StoreError) {
        self.snapshot = snapshot
        self.catalog = catalog
        self.source = source
        let read = StoreView(SharedSnapshotReader(snapshot), catalog, source)
        version = StoreVersion(epoch: source.epoch, number: try read.state().version)
    }

    /// Opens a view of the version, which its owner closes. Any number of them may be open; one thread at a time uses each.
    package func openView() -> StoreView {
        StoreView(SharedSnapshotReader(snapshot), catalog, source)
    }

    /// Runs `body` with a view of the version, which is closed behind it. Any number of them may be open.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func withRead<Result>(
        _ body: (StoreView) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let read = openView()
        defer { read.close() }
        return try read.checked { () throws(StoreError) in try body(read) }
    }

    /// Opens a view of the version that stays open from one call to the next.
    package func holdRead() -> LongRead { LongRead(openView()) }
}

/// The parts of a store that every view of it reads with, beside a snapshot.
struct ViewSource: Sendable {
    let catalogs: CatalogHistory
    /// The store's columns; nil for an uncommitted state.
    let columns: ColumnStore?
    let epoch: UInt64
}
