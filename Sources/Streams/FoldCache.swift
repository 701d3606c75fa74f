import HoldfastObjectStore
import HoldfastRows
import Synchronization
import HoldfastThreads

/// Changes that several streams have missed, read and folded once: after a restart thousands resume from about the
/// same version. Any thread.
final class FoldCache: Sendable {
    private struct Entry {
        var after: UInt64
        var classes: Set<Int>?
        var schema: RowSchema
        var fold: SharedFold
        /// In milliseconds of the monotonic clock.
        var lastUse: UInt64
    }

    /// The most folds that are kept.
    private static let entryCountMax = 8
    /// Fewer versions and objects are read again more cheaply than looked up and kept.
    private static let versionCountMin: UInt64 = 64
    private static let objectCountMin = 1_000
    /// The time for which an unused fold is kept, in milliseconds.
    private static let unusedMillisecondsMax: UInt64 = 2_000
    /// Objects of a fold: with more, it ends at an earlier version.
    private static let objectCountMax = 200_000
    /// The same while others hold as much as all may.
    private static let scarceObjectCountMax = 2_000
    /// Versions and changes that are read for a fold, of whatever class: it is made in one go.
    static let recordCountMax = 1_000_000
    /// About the memory of an object that has changed.
    private static let objectByteCount = 192
    /// The memory of what objects were in a fold while others hold as much as all may, and on the feed's thread: with more, it ends at an
    /// earlier version.
    static let scarceFormerByteCountMax = 1 << 20
    /// With less a fold is not counted for that.
    private static let formerByteCountMin = 1 << 16

    private let entries = Mutex<[Entry]>([])
    private let reading = Mutex<Void>(())
    /// The memory of folds that are kept, or that streams hold while they wait for their clients.
    private let budget = StreamBudget(byteCountMax: 128 << 20)

    /// Folds the changes after a version, as far as a view sees or memory allows.
    ///
    /// Another stream's fold may begin earlier and end earlier: who uses it leaves out the objects that have not
    /// changed since its own version, and goes on behind its end.
    ///
    /// - `present`: The version that the view sees.
    func changes(
        after version: UInt64, through present: UInt64, in read: ReadTransaction,
        classes: Set<Int>?
    ) throws(FoldedChanges.Gap) -> SharedFold {
        if let known = known(after: version, through: present, in: read, classes) { return known }
        // What one reads is not read by others meanwhile: it may be large.
        return try reading.withLock { _ throws(FoldedChanges.Gap) in
            if let known = known(after: version, through: present, in: read, classes) {
                return known
            }
            let changes = try FoldedChanges(
                after: version, in: read,
                objectCountMax: budget.isTight ? Self.scarceObjectCountMax : Self.objectCountMax,
                recordCountMax: Self.recordCountMax, classes: classes,
                formerByteCountMax: budget.isTight
                    ? Self.scarceFormerByteCountMax : FoldedChanges.formerByteCountMax)
            guard
                changes.through - version >= Self.versionCountMin
                    || changes.order.count >= Self.objectCountMin
                    || changes.formerByteCount >= Self.formerByteCountMin
            else { return SharedFold(changes) }
            let share = budget.share(
                changes.order.count * Self.objectByteCount + changes.formerByteCount)
            // Who begins within it would take a change of shape for one that it has missed.
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
                    // A view does not see what came behind it.
                    && entry.after <= version && through > version && through <= present
                    // Most of it is of use.
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
