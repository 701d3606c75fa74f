import Synchronization

/// Which catalog belongs to which snapshot.
///
/// A schema change is entered here before it is committed, under the number that its commit will have;
/// a snapshot then finds its own catalog whether it was taken before or after. Thread-safe.
final class CatalogHistory: Sendable {
    private struct Entry {
        var commit: UInt64
        var catalog: Catalog
    }

    private let entries: Mutex<[Entry]>

    init(_ catalog: Catalog) { entries = Mutex([Entry(commit: 0, catalog: catalog)]) }

    /// The catalog that a snapshot of `commit` reads with.
    func catalog(at commit: UInt64) -> Catalog? {
        entries.withLock { $0.last { $0.commit <= commit }?.catalog }
    }

    /// The newest catalog.
    var newest: Catalog? { entries.withLock { $0.last?.catalog } }

    /// Enters the catalog of a commit that is about to be made.
    func enter(_ catalog: Catalog, commit: UInt64) {
        entries.withLock {
            $0.append(Entry(commit: commit, catalog: catalog))
            if $0.count > 64 { $0.removeFirst() }
        }
    }

    /// Takes back the entry of a commit that failed.
    func withdraw(commit: UInt64) { entries.withLock { $0.removeAll { $0.commit == commit } } }
}
