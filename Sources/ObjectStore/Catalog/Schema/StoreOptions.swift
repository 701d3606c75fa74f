import HoldfastRows

/// The options of a store.
package struct StoreOptions: Sendable {
    /// The time for which change log entries are kept, in seconds.
    package var retentionSeconds: Int = 7 * 86_400
    /// The bytes of change log that are kept.
    package var retentionByteCount = 1 << 30
    /// The most transactions that share a commit.
    package var groupCountMax = 512
    /// The bytes of changes after which a commit takes no more transactions.
    package var groupByteCountMax = 16 << 20
    /// The most writes and deletions of one transaction.
    package var operationCountMax = 100_000
    /// The most bytes that one transaction changes or reads for changes, all of which wait in memory for its commit.
    package var transactionByteCountMax = 512 << 20
    /// The time for which a write waits while an interactive write is open, in milliseconds.
    package var interactiveWaitMilliseconds = 5_000
    /// The bytes of changes of an interactive write that is open which wait in memory; with more they go to the engine's open
    /// transaction.
    package var interactiveByteCountMax = 256 << 20
    /// The time after which a version that is held counts as old, in milliseconds.
    package var heldMillisecondsMin = 30_000
    /// The bytes of changes with which the engine gets a group in parts, and not as one batch.
    package var partedByteCountMin = 64 << 20
    package var partChangeCount = 1 << 16
    /// The time for which, and the room in which, the replies to writes with an idempotency key are kept.
    package var idempotency = IdempotencyLimits()
    /// The limits from which values are stored out of line.
    package var overflowLimits = OverflowLimits()
    /// When columns are kept in memory.
    package var columns = ColumnOptions()

    /// The most objects that a change of the schema reads and writes in its one commit; one that has more
    /// to do goes on in slices beside other writes.
    package var migrationObjectCountMax = 2_000
    /// The most objects of a slice.
    package var migrationSliceCount = 2_000

    /// Whether writes and interactive writes are refused. A store that is not there is not made, and one in an older format not
    /// marked.
    package var isReadOnly = false
    /// Whether the store gets a new epoch when it is opened, so that earlier cursors and ETags are distinguished from later ones.
    package var takesNewEpoch = false

    /// Makes the defaults.
    package init() {}
}

/// When a store keeps columns in memory, see ``ColumnStore``.
package struct ColumnOptions: Sendable, Equatable {
    /// The bytes of all columns; 0 for no columns at all.
    package var byteCountMax = 256 << 20
    /// Which use of a property by a scan has its column built.
    package var useCountMin = 2
    /// How many objects a class needs to be worth it.
    package var objectCountMin = 256
    /// The number of other cores that help with a scan.
    package var helperCountMax = 7
    /// After how many chunks the time that a scan takes is estimated, and again after as many more.
    package var probedChunkCount = 8
    /// How long a scan has to go on to be worth waking another thread.
    package var sharedMicrosecondsMin: UInt64 = 400
    /// The most keys that are remembered as changed for a class with columns; when more change before
    /// anybody scans it, its columns are dropped.
    package var changedKeyCountMax = 1 << 16

    /// Makes the defaults.
    package init() {}
}

/// How long and in how much room the replies to writes with an idempotency key are stored.
package struct IdempotencyLimits: Sendable, Equatable {
    /// How long a record is valid, in seconds.
    package var retentionSeconds = 86_400
    /// The bytes for all idempotency records, including their keys. When they are used up, new records are refused.
    package var byteCountMax = 256 << 20
    package var recordByteCountMax = 4 << 20

    /// The bytes that an owner's records may take in a room.
    func byteCountMax(in room: IdempotencyRoom, of owner: IdempotencyOwner) -> UInt64 {
        switch room {
        case .principal: UInt64(byteCountMax / (owner.isUser ? 16 : 2))
        case .users: UInt64(byteCountMax / 2)
        case .store: UInt64(byteCountMax)
        }
    }

    /// Makes the defaults.
    package init() {}
}
