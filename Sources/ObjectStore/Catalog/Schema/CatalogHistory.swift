import Synchronization
import HoldfastThreads

/// The catalogs of snapshots.
///
/// A schema change is entered here before it is committed, under the number that its commit will have;
/// a snapshot then finds its own catalog whether it was taken before or after. Thread-safe.
final class CatalogHistory: Sendable {
    private struct Entry {
        var commit: UInt64
        var catalog: Catalog
    }

    private struct Entries {
        /// The last committed catalogs, oldest first; never empty.
        var committed: [Entry]
        /// The catalog of the commit under way.
        var next: Entry?
    }

    /// A monitor: two threads that open streams without pause would hand a `Mutex` to each other, and wait each time.
    private let entries: Monitor<Entries>
    /// Grows with every change of `entries`.
    private let generation = Atomic<UInt64>(0)

    /// Whether a catalog that was handed out is still the current one.
    struct Validity {
        static var none: Validity { Validity(generation: .max, commit: .max) }
        fileprivate var generation: UInt64
        /// The first commit that has it.
        fileprivate var commit: UInt64
    }

    /// The number of catalogs kept for snapshots taken a moment ago.
    private static let countMax = 64

    init(_ catalog: Catalog) {
        entries = Monitor(Entries(committed: [Entry(commit: 0, catalog: catalog)]))
    }

    /// Returns the catalog that a snapshot of `commit` reads with; nil if it is older than the kept ones.
    func catalog(at commit: UInt64) -> Catalog? {
        var validity = Validity.none
        return catalog(at: commit, &validity)
    }

    /// Returns the catalog that a snapshot of `commit` reads with, and how long that holds.
    func catalog(at commit: UInt64, _ validity: inout Validity) -> Catalog? {
        entries.withLock { entries in
            validity = .none
            if let next = entries.next, next.commit <= commit { return next.catalog }
            guard let last = entries.committed.last, last.commit <= commit else {
                return entries.committed.last { $0.commit <= commit }?.catalog
            }
            if entries.next == nil {
                validity = Validity(
                    generation: generation.load(ordering: .relaxed), commit: last.commit)
            }
            return last.catalog
        }
    }

    /// Whether a snapshot of `commit`, which was taken before this call, still reads with the catalog
    /// of `validity`. Cost: one load; nothing is written that other threads read.
    func isValid(_ validity: Validity, at commit: UInt64) -> Bool {
        // A catalog is entered before its commit: a thread that sees the commit sees the generation too.
        atomicMemoryFence(ordering: .acquiring)
        return generation.load(ordering: .acquiring) == validity.generation
            && commit >= validity.commit
    }

    var newest: Catalog? { entries.withLock { $0.committed.last?.catalog } }

    /// Enters the catalog of a commit that is about to be made.
    func enter(_ catalog: Catalog, commit: UInt64) {
        entries.withLock {
            $0.next = Entry(commit: commit, catalog: catalog)
            generation.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }
    }

    /// Notes that the commit last entered was made.
    func confirm() {
        entries.withLock { entries in
            guard let next = entries.next else { return }
            entries.committed.append(next)
            entries.next = nil
            generation.wrappingAdd(1, ordering: .sequentiallyConsistent)
            if entries.committed.count > Self.countMax { entries.committed.removeFirst() }
        }
    }

    /// Takes back the entry of a commit that failed.
    func withdraw() {
        entries.withLock {
            $0.next = nil
            generation.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }
    }
}
