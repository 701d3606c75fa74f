import HoldfastStorage

/// The interactive writes that share a group, and the part of the group that can be committed without the open one.
///
/// Benchmark row: `durable-eight`.
struct InteractiveGroup {
    /// The maximum number of interactive writes that share a sync, and the size of changes in bytes above which no other write
    /// joins.
    static let countMax = 16
    static let byteCountMax = 256 << 10
    /// The shortest time that ended writes wait for an open one. The longest is twice as long.
    static let patienceMicroseconds = 2000

    /// A request of the owner of the open write to the writer's thread.
    enum Request {
        /// To take its changes out of memory, and to answer.
        case room
        /// The callbacks that commit the changes under the open write, and that note it.
        case base
        /// To end it, if its own thread can't.
        case end(commits: Bool)
    }

    /// The changes of a group at some point, which later ones leave as they are.
    struct CommittablePrefix {
        let batch: StorageBatch
        let version: UInt64
    }

    let group: CommitGroup
    /// The version that was committed last.
    var version: UInt64
    /// The writes that have ended and are not committed, with their outcomes.
    var ended: [(interactiveWrite: QueuedInteractiveWrite, outcome: WriteOutcome)] = []
    /// Their changes, while a further write is open.
    var stand: CommittablePrefix?
    /// The reason why the state that the open write has seen is lost.
    var failure: StoreError?

    init(_ group: CommitGroup) {
        self.group = group
        version = group.state.version
    }

    /// Whether a further write may join.
    var hasRoom: Bool {
        failure == nil && group.engineTransaction == nil && ended.count < Self.countMax
            && group.overlay.byteCount <= Self.byteCountMax
    }

    /// Answers the writes that have ended.
    mutating func finish(failing error: StoreError? = nil) {
        for (interactiveWrite, outcome) in ended {
            interactiveWrite.finish(error.map { .failure($0) } ?? outcome)
        }
        ended = []
        stand = nil
    }
}
