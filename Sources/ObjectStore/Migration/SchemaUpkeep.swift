import Synchronization

/// What goes on with the schema beside the writes: the change under way, and the removal of what changes
/// left behind. The writer's thread alone uses it, but for ``progress``.
final class SchemaUpkeep: @unchecked Sendable {
    // Unchecked: everything but `published` belongs to the writer's thread.

    /// What the store has, or will have with the next commit of the upkeep's.
    var record: MigrationRecord
    /// The change under way.
    private(set) var migration: StagedMigration?
    /// A change that waits until entries are removed that would get in its way.
    var held: (any PendingSchemaWrite)?
    /// Whether removing failed, so that it waits for a write that succeeds, or for a restart.
    var isBlocked = false
    /// Where the removal of the first leftover goes on; nil at its beginning.
    var removedThrough: [UInt8]?
    /// How often the present slice met another commit.
    var conflictCount = 0
    private var totalCount: UInt64 = 0
    private var removedCount: UInt64 = 0
    private let published = Mutex<MigrationProgress?>(nil)

    /// Takes over what the store has: what a change had staged that did not end is left over.
    init(_ record: MigrationRecord) {
        self.record = record
        self.record.leftovers += record.staged
        self.record.staged = []
        publish()
    }

    /// Whether there is something to do.
    var isPending: Bool {
        migration != nil || !isBlocked && (held != nil || !record.leftovers.isEmpty)
    }

    /// Whether another schema change has to wait.
    var isBusy: Bool { migration != nil || held != nil }

    /// How far it is; nil when nothing is to be done. Any thread.
    var progress: MigrationProgress? { published.withLock { $0 } }

    /// Begins a change.
    func begin(_ migration: StagedMigration, totalCount: UInt64) {
        self.migration = migration
        self.totalCount = totalCount
        publish()
    }

    /// Ends the change under way, which has come about or was given up.
    func end() {
        migration = nil
        conflictCount = 0
        publish()
    }

    /// Counts removed entries.
    func countRemoved(_ count: Int) {
        removedCount += UInt64(count)
        if record.isEmpty { removedCount = 0 }
        publish()
    }

    /// Tells who asks how far it is.
    func publish() {
        var progress: MigrationProgress?
        if let migration {
            progress = MigrationProgress(
                phase: migration.progress.phase == .check ? .check : .build,
                doneCount: migration.progress.doneCount, totalCount: totalCount)
        } else if !record.leftovers.isEmpty {
            progress = MigrationProgress(phase: .cleanup, doneCount: removedCount, totalCount: 0)
        }
        published.withLock { $0 = progress }
    }

    /// Refuses what is under way or waits, because the store closes.
    func abandon() {
        migration?.write.finish(.failed(.closing))
        held?.finish(.failed(.closing))
        migration = nil
        held = nil
    }
}
