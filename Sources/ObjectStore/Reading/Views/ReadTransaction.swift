import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// One immutable view of the store: a snapshot and the catalog that belongs to it.
///
/// It is a ``StoreView``, which shows everything, or a ``RestrictedView``, which shows only the readable part for a principal.
/// Code that takes a `ReadTransaction` works on either. Code that has to see everything, such as the evaluation of rules, takes a
/// ``StoreView``.
///
/// Close it soon (``close()``): an engine keeps old pages as long as a snapshot is open. One thread at a time uses it. Rows are
/// valid until it is closed.
package class ReadTransaction {
    fileprivate(set) final var snapshot: any StorageSnapshot
    /// The schema that the snapshot's rows are read with.
    package fileprivate(set) final var catalog: Catalog
    /// The compiled schema, without the names that a restricted view shows nowhere.
    package fileprivate(set) final var rows: RowSchema
    final let source: ViewSource
    /// The changes that the view is of; nil for a view of a commit.
    final let changes: OverlaySnapshot?
    /// The budget of evaluations on the view.
    ///
    /// One object can lead to any number of others along the paths of a filter or a sort. The time of a query is therefore also
    /// checked while links are followed, and not only between the objects of its class.
    package final let budget: Budget
    /// Judges and copies the rows of a restricted view; nil if everything is shown.
    final let restricted: RestrictedObjects?
    /// The view that a restricted view shows a part of; nil if everything is shown.
    private final let base: StoreView?
    /// The rows that were found last, if a part of the view's commit is shown: rules and shown links meet the same objects.
    fileprivate(set) final var recentRows: RecentRows?
    /// The deadline of reads on a thread that hands longer ones to a job, in milliseconds of the monotonic clock; nil if reads
    /// may take as long as a query.
    package final var shortDeadline: UInt64?
    /// Whether it is read on a thread that must not be held up, so that long work begins again elsewhere.
    package final var isBrief = false
    final let keyBuffer = ByteBuffer(capacity: 512)

    /// Makes a view of everything. Only its initializer calls it.
    fileprivate init(
        _ snapshot: any StorageSnapshot, _ catalog: Catalog, _ source: ViewSource,
        _ changes: OverlaySnapshot?
    ) {
        self.snapshot = snapshot
        self.catalog = catalog
        rows = catalog.rows
        self.source = source
        self.changes = changes
        (budget, restricted, base) = (Budget(), nil, nil)
    }

    /// Makes a view of a part of another one.
    fileprivate init(_ base: StoreView, _ visibility: Visibility) {
        snapshot = base.snapshot
        catalog = base.catalog
        rows = visibility.rows
        source = base.source
        changes = base.changes
        budget = base.budget
        restricted = RestrictedObjects(visibility, of: base)
        self.base = base
    }

    /// The view of everything that this view is, or shows a part of.
    package final var unrestricted: StoreView { base ?? unsafeDowncast(self, to: StoreView.self) }
}

/// A view that shows everything. A closed one can be used for the next view (``Store/read(reusing:)``).
package final class StoreView: ReadTransaction {
    private var validity = CatalogHistory.Validity.none
    /// The first storage error that a call without `throws` met, here or on a view of a part; see ``ObjectSource``.
    fileprivate var ownFailure: StorageError?

    /// Nil when there is no catalog for the snapshot, which is closed then.
    init?(snapshot: any StorageSnapshot, _ source: ViewSource) {
        var validity = CatalogHistory.Validity.none
        guard let catalog = source.catalogs.catalog(at: snapshot.commit, &validity) else {
            snapshot.close()
            return nil
        }
        super.init(snapshot, catalog, source, nil)
        self.validity = validity
    }

    /// A view of a commit that may be older than the commits with kept catalogs.
    ///
    /// - `changes`: Has the counters of classes and the store's state, where a transaction is under way.
    init(
        _ snapshot: any StorageSnapshot, _ catalog: Catalog, _ source: ViewSource,
        changes: OverlaySnapshot? = nil
    ) {
        super.init(snapshot, catalog, source, changes)
    }

    /// A view of an uncommitted state, which is read with `catalog`.
    convenience init(uncommitted snapshot: OverlaySnapshot, catalog: Catalog, epoch: UInt64) {
        let source = ViewSource(catalogs: CatalogHistory(catalog), columns: nil, epoch: epoch)
        self.init(snapshot, catalog, source, changes: snapshot)
    }

    deinit { snapshot.close() }

    /// Makes the view that shows only the readable part for a principal; this view for nil. It is open as long as this one, and
    /// has the same budget.
    ///
    /// - `visibility`: Of the schema of the view.
    package func restricted(to visibility: Visibility?) -> ReadTransaction {
        guard let visibility else { return self }
        // Only rows of a commit stay as they are.
        if columns != nil, recentRows == nil { recentRows = RecentRows() }
        return RestrictedView(self, visibility)
    }

    /// Becomes a view of another snapshot of the same store; false as in `init`.
    func begin(_ snapshot: any StorageSnapshot) -> Bool {
        if !source.catalogs.isValid(validity, at: snapshot.commit) {
            guard let catalog = source.catalogs.catalog(at: snapshot.commit, &validity) else {
                snapshot.close()
                return false
            }
            self.catalog = catalog
            rows = catalog.rows
        }
        self.snapshot = snapshot
        ownFailure = nil
        shortDeadline = nil
        isBrief = false
        recentRows = nil
        budget.begin(until: .max)
        return true
    }

    /// Whether it was made by the store that has these catalogs.
    func belongs(to catalogs: CatalogHistory) -> Bool { source.catalogs === catalogs }

    /// Keeps the version that the view sees readable, see ``ReadTransaction/pin()``.
    fileprivate func pinSnapshot() throws(StoreError) -> PinnedVersion {
        let shared: SharedSnapshot
        if let reader = snapshot as? SharedSnapshotReader {
            do { shared = try reader.open("pin") } catch { throw .storage(error) }
        } else {
            shared = SharedSnapshot(snapshot)
            snapshot = SharedSnapshotReader(shared)
        }
        return try PinnedVersion(shared, catalog, source)
    }
}

/// A view that shows only the readable part for a principal, as if nothing else were stored. It is closed together with the view
/// below it.
///
/// Every row that a view hands out comes from ``ReadTransaction/find(_:key:)``, ``ReadTransaction/find(_:primaryKey:)`` and
/// ``ReadTransaction/scan(_:after:reversed:expecting:_:)``, every inverse link from
/// ``ReadTransaction/scanOrigins(_:_:property:from:_:)``. These functions ask the visibility. Entries of indexes are candidates,
/// whose rows have to be looked up.
final class RestrictedView: ReadTransaction {}

extension ReadTransaction {
    /// The first storage error that a call without `throws` met; see ``ObjectSource``.
    package var failure: StorageError? { unrestricted.ownFailure }

    /// Notes that storage failed in an evaluation, which goes on as if nothing were found.
    func fail(_ error: StorageError) {
        if unrestricted.ownFailure == nil { unrestricted.ownFailure = error }
    }

    /// Ends the view. Closing twice is harmless.
    package func close() {
        budget.timeSlice = nil
        unrestricted.snapshot.close()
    }

    /// Keeps the version that the view sees readable for several threads at once, also when the view is closed. The view goes
    /// on, and rows that it has handed out stay.
    ///
    /// Cost: from then on the view takes a lock for each look-up and for each batch of a scan.
    /// - Throws: ``StoreError`` `.uncommitted` for a view inside a write; `.storage` for a closed one.
    package func pin() throws(StoreError) -> PinnedVersion {
        guard columns != nil else { throw .uncommitted }
        defer { snapshot = unrestricted.snapshot }
        return try unrestricted.pinSnapshot()
    }
}
