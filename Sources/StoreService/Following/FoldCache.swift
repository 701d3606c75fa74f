import ObjectStore
import Rows
import Synchronization
import Threads

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
    /// How long a fold is kept that nobody uses, in milliseconds.
    private static let unusedMillisecondsMax: UInt64 = 2_000
    /// Objects of a fold: with more, it ends at an earlier version.
    private static let objectCountMax = 200_000

    private let entries = Mutex<[Entry]>([])
    private let reading = Mutex<Void>(())

    /// What came after a version, as far as a view sees or memory allows.
    ///
    /// Another stream's fold may begin earlier and end earlier: who uses it leaves out the objects that have not
    /// changed since its own version, and goes on behind its end.
    ///
    /// - Returns: The changes, and what is shared of them where another stream has missed them as well.
    func changes(
        after version: UInt64, in read: ReadTransaction, classes: Set<Int>?
    ) throws(FoldedChanges.Gap) -> (FoldedChanges, SharedFold?) {
        if let known = known(after: version, in: read, classes) { return (known.changes, known) }
        // What one reads is not read by others meanwhile: it may be large.
        return try reading.withLock { _ throws(FoldedChanges.Gap) in
            if let known = known(after: version, in: read, classes) {
                return (known.changes, known)
            }
            let changes = try FoldedChanges(
                after: version, in: read, objectCountMax: Self.objectCountMax, classes: classes)
            if changes.through - version >= Self.versionCountMin
                || changes.order.count >= Self.objectCountMin
            {
                keep(
                    Entry(
                        after: version, classes: classes, schema: read.rows,
                        fold: SharedFold(changes), lastUse: monotonicMilliseconds()))
            }
            return (changes, nil)
        }
    }

    private func known(
        after version: UInt64, in read: ReadTransaction, _ classes: Set<Int>?
    ) -> SharedFold? {
        let now = monotonicMilliseconds()
        return entries.withLock { entries in
            entries.removeAll { now > $0.lastUse + Self.unusedMillisecondsMax }
            let index = entries.firstIndex { entry in
                entry.schema === read.rows && entry.classes == classes && entry.after <= version
                    && entry.fold.changes.through > version
                    // Most of it is of use.
                    && version - entry.after <= (entry.fold.changes.through - version) / 4
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

    /// Drops what nobody has used for a while.
    func dropUnused() {
        let now = monotonicMilliseconds()
        entries.withLock { $0.removeAll { now > $0.lastUse + Self.unusedMillisecondsMax } }
    }
}
