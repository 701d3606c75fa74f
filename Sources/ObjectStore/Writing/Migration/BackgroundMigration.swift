import HoldfastStorage
import Synchronization

/// Work on the schema beside the writes: the change under way, and the removal of garbage that changes
/// leave. Only the writer's thread uses it, except for ``progress``.
final class BackgroundMigration: @unchecked Sendable {
    // Unchecked: everything but `published` belongs to the writer's thread.

    /// The record that the store has, or will have with the next commit of this work.
    var record: MigrationRecord
    /// The change under way.
    private(set) var migration: StagedMigration?
    /// A change that waits until entries are removed that would get in its way.
    var held: (any PendingSchemaWrite)?
    /// Whether removing failed, so that it waits for a write that succeeds, or for a restart.
    private(set) var isBlocked = false
    /// The key behind which the removal of the first entry of the garbage continues; nil at its beginning.
    var removedThrough: [UInt8]?
    /// The number of times that the current slice conflicted with another commit.
    var conflictCount = 0
    private var totalCount: UInt64 = 0
    private var removedCount: UInt64 = 0
    /// The failure of the last removal; nil if it succeeded.
    private var failure: StorageError?
    private let published = Mutex<MigrationProgress?>(nil)
    private let observers = Mutex<[@Sendable (StorageError) -> Void]>([])

    /// Starts from the stored record: entries that an unfinished change had staged become garbage.
    init(_ record: MigrationRecord) {
        self.record = record
        self.record.garbage += record.staged
        self.record.staged = []
        publish()
    }

    /// Whether there is something to do.
    var isPending: Bool {
        migration != nil || !isBlocked && (held != nil || !record.garbage.isEmpty)
    }

    /// Whether another schema change has to wait.
    var isBusy: Bool { migration != nil || held != nil }

    /// The progress; nil if there is no work. Any thread.
    var progress: MigrationProgress? { published.withLock { $0 } }

    func begin(_ migration: StagedMigration, totalCount: UInt64) {
        self.migration = migration
        self.totalCount = totalCount
        publish()
    }

    /// Ends the change under way, which was applied or abandoned.
    func end() {
        migration = nil
        conflictCount = 0
        publish()
    }

    /// Calls `handler`, on the writer's thread, when garbage can't be removed: once for repeated equal failures.
    func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        observers.withLock { $0.append(handler) }
    }

    /// Has the removal of garbage wait, since it failed, and refuses the change that waits for it.
    func block(_ error: StoreError) {
        isBlocked = true
        held?.finish(.failure(error))
        held = nil
        var failure = StorageError(
            .corrupted, operation: "remove the leftovers of a schema change", native: "\(error)")
        if case .storage(let cause) = error { failure = cause }
        guard failure != self.failure else { return }
        self.failure = failure
        for observer in observers.withLock({ $0 }) { observer(failure) }
    }

    /// Lets the removal of garbage be tried again.
    func unblock() { isBlocked = false }

    /// Counts removed entries.
    func countRemoved(_ count: Int) {
        failure = nil
        removedCount += UInt64(count)
        if record.isEmpty { removedCount = 0 }
        publish()
    }

    /// Publishes the progress for other threads.
    func publish() {
        var progress: MigrationProgress?
        if let migration {
            progress = MigrationProgress(
                phase: migration.progress.phase, doneCount: migration.progress.doneCount,
                totalCount: totalCount)
        } else if !record.garbage.isEmpty {
            progress = MigrationProgress(phase: .cleanup, doneCount: removedCount, totalCount: 0)
        }
        published.withLock { $0 = progress }
    }

    /// Refuses the changes under way and the waiting changes, because the store closes.
    func abandon() {
        migration?.write.finish(.failure(.closing))
        held?.finish(.failure(.closing))
        migration = nil
        held = nil
    }
}

/// The progress of a background migration.
package struct MigrationProgress: Equatable, Sendable {
    /// The phase of the work.
    package enum Phase: String, Sendable, CaseIterable {
        /// Objects are read to find the data that would be lost.
        case check
        /// Objects and entries are written; readers don't see them yet.
        case build
        /// The change is made, or given up, and its leftovers are removed.
        case cleanup
    }

    package var phase: Phase
    /// The number of objects read and written; in a clean-up the number of entries removed.
    package var doneCount: UInt64
    /// The number of objects when it began, each counted once for reading and once for writing; 0 in a
    /// clean-up, which does not know.
    package var totalCount: UInt64

    /// The part that is done, in percent.
    var percent: Int { totalCount == 0 ? 0 : Int(min(doneCount, totalCount) * 100 / totalCount) }
}
