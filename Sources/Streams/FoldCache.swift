import HoldfastObjectStore
import HoldfastRows
import Synchronization
import HoldfastThreads

/// Folded changes that several streams have missed. They are read only once: after a restart thousands of streams resume from
/// about the same version. Any thread.
///
/// Benchmark row: `resume`.
final class FoldCache: Sendable {
    private struct Entry {
        var after: UInt64
        var classes: Set<Int>?
        var schema: RowSchema
        var fold: SharedFold
        /// In milliseconds of the monotonic clock.
        var lastUse: UInt64
    }

    /// The maximum number of kept folds.
    private static let entryCountMax = 8
    /// Folds with fewer versions and fewer objects are not kept, because reading them again is cheaper.
    private static let versionCountMin: UInt64 = 64
    private static let objectCountMin = 1_000
    /// The time for which an unused fold is kept, in milliseconds.
    private static let unusedMillisecondsMax: UInt64 = 2_000
    /// The maximum number of objects in a fold. A larger fold ends at an earlier version.
    private static let objectCountMax = 200_000
    /// The same while the budget is tight.
    private static let scarceObjectCountMax = 2_000
    /// The maximum number of versions and changes, of any class, that are read for a fold. A fold is made in one go.
    static let recordCountMax = 1_000_000
    /// The approximate memory of a changed object.
    private static let objectByteCount = 192
    /// The maximum memory of former values in a fold while the budget is tight, and on the feed's thread. A larger fold ends at
    /// an earlier version.
    static let scarcePastByteCountMax = 1 << 20
    /// Less memory of former values is no reason to keep a fold.
    private static let formerByteCountMin = 1 << 16

    private let entries = Mutex<[Entry]>([])
    private let reading = Mutex<Void>(())
    /// The memory of folds that are kept, or that streams use while they wait for their clients.
    private let budget = MemoryBudget(byteCountMax: 128 << 20)

    /// Folds the changes after a version, up to the version that the view sees or as far as memory allows.
    ///
    /// The fold may be another stream's, and begin earlier and end earlier. Its user skips the objects that have not changed
    /// since its own version, and continues after the fold's end.
    ///
    /// - `present`: The version that the view sees.
    func changes(
        after version: UInt64, through present: UInt64, in read: ReadTransaction, classes: Set<Int>?
    ) throws(FoldedChanges.Gap) -> SharedFold {
        if let known = known(after: version, through: present, in: read, classes) { return known }
        // Only one stream reads at a time, because a fold may be large.
        return try reading.withLock { _ throws(FoldedChanges.Gap) in
            if let known = known(after: version, through: present, in: read, classes) {
                return known
            }
            let changes = try FoldedChanges(
                after: version, in: read,
                objectCountMax: budget.isTight ? Self.scarceObjectCountMax : Self.objectCountMax,
                recordCountMax: Self.recordCountMax, classes: classes,
                formerByteCountMax: budget.isTight
                    ? Self.scarcePastByteCountMax : FoldedChanges.formerByteCountMax)
            guard
                changes.through - version >= Self.versionCountMin
                    || changes.order.count >= Self.objectCountMin
                    || changes.formerByteCount >= Self.formerByteCountMin
            else { return SharedFold(changes) }
            let share = budget.share(
                changes.order.count * Self.objectByteCount + changes.formerByteCount)
            // A stream that starts within the fold would count the schema change as missed.
            if !changes.changesSchema {
                keep(
                    Entry(
                        after: version, classes: classes, schema: read.rows,
                        fold: SharedFold(changes, isShared: true, share: share),
                        lastUse: monotonicMilliseconds()))
            }
            return SharedFold(changes, share: share)
        }
    }

    private func known(
        after version: UInt64, through present: UInt64, in read: ReadTransaction,
        _ classes: Set<Int>?
    ) -> SharedFold? {
        let now = monotonicMilliseconds()
        return entries.withLock { entries in
            entries.removeAll { now > $0.lastUse + Self.unusedMillisecondsMax }
            let index = entries.firstIndex { entry in
                let through = entry.fold.changes.through
                return entry.schema.identity == read.rows.identity && entry.classes == classes
                    // A view does not see later versions.
                    && entry.after <= version && through > version && through <= present
                    // Most of the fold is of use.
                    && version - entry.after <= (through - version) / 4
            }
            guard let index else { return nil }
            entries[index].lastUse = now
            return entries[index].fold
        }
    }

    private func keep(_ entry: Entry) {
        entries.withLock { entries in
            if entries.count == Self.entryCountMax { entries.removeFirst() }
            entries.append(entry)
        }
    }

    /// Drops folds that were not used for a while.
    func dropUnused() {
        let now = monotonicMilliseconds()
        entries.withLock { $0.removeAll { now > $0.lastUse + Self.unusedMillisecondsMax } }
    }
}
