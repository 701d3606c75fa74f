import Query
import Rows
import Synchronization

/// Which pages the beginning of a scan by columns has filled, so that no index has to be asked before the next
/// one like it.
///
/// Keys are kept without what they are made of: two queries that share one, and a page that the scan does not
/// fill any more, only cost a look at a chunk in vain, after which the key is forgotten. Thread-safe.
final class TrialMemory: Sendable {
    /// How many keys are kept; a new one takes the place of one before it.
    private static let countMax = 1024

    private let keys = Mutex([UInt64](repeating: 0, count: countMax))

    /// The key of the pages of a query.
    static func key(_ query: ObjectQuery, _ rowClass: RowClass) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(rowClass.rowSpace)
        hasher.combine(query.expectedCount)
        hasher.combine(query.predicate)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    private static func place(_ key: UInt64) -> Int { Int(key % UInt64(countMax)) }

    /// Whether a page was filled.
    func has(_ key: UInt64) -> Bool { keys.withLock { $0[Self.place(key)] == key } }

    /// Notes that a page was filled.
    func note(_ key: UInt64) { keys.withLock { $0[Self.place(key)] = key } }

    /// Notes that a page was not filled.
    func forget(_ key: UInt64) {
        keys.withLock { keys in
            if keys[Self.place(key)] == key { keys[Self.place(key)] = 0 }
        }
    }
}
