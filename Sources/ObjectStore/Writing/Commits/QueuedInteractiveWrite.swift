import Glibc
import HoldfastStorage
import HoldfastThreads
import Synchronization

/// An interactive write, from the call that asks for it to its outcome. Its body runs on another thread. Thread-safe.
final class QueuedInteractiveWrite: PendingWrite {
    private struct State {
        /// The open transaction; nil before.
        var transaction: WriteTransaction?
        /// The reason why there is no room, once its owner has asked for room; the inner value is nil if there is room.
        var room: StoreError??
        /// Whether the changes that it is based on are committed, or why they are lost; nil while that is not known.
        var base: Result<Void, StoreError>?
        var outcome: WriteOutcome?
        var hasEnded = false
    }

    private let state = Monitor(State())
    /// Called once, when the outcome of the write is known.
    private let done = Mutex<(@Sendable () -> Void)?>(nil)
    /// The thread that has asked for it.
    private let thread = UInt(pthread_self())

    /// Whether it is open to the calling thread, or was and has moved from there.
    var isLentHere: Bool {
        guard thread == UInt(pthread_self()) else { return false }
        return state.withLock { $0.transaction != nil && !$0.hasEnded && $0.outcome == nil }
    }

    /// Lends the transaction to its owner.
    ///
    /// - `isFirst`: Whether it is based on no changes of others that are still to be committed.
    func handOver(_ transaction: WriteTransaction, isFirst: Bool) {
        transaction.liftLimits()
        state.update { state in
            if isFirst { state.base = .success(()) }
            state.transaction = transaction
        }
    }

    // MARK: Its owner's thread

    /// Waits until the write is open.
    ///
    /// - Throws: ``StoreError`` if it could not be.
    func awaitTransaction() throws(StoreError) -> WriteTransaction {
        let answer: Result<WriteTransaction, StoreError> = state.wait { state in
            if case .failure(let error) = state.outcome { return .failure(error) }
            return state.transaction.map { .success($0) }
        }
        return try answer.get()
    }

    /// Waits until the changes that it is based on are committed.
    ///
    /// - `ask`: Asks for that if they are not.
    /// - Throws: ``StoreError`` if they could not be.
    func awaitPrecedingCommit(_ ask: () -> Void) throws(StoreError) {
        if state.withLock({ $0.base == nil }) { ask() }
        try state.wait { $0.base }.get()
    }

    /// Notes that its owner ends it. `done` is called when the outcome is known.
    func noteEnd(_ done: (@Sendable () -> Void)?) {
        self.done.withLock { $0 = done }
        state.withLock { $0.hasEnded = true }
    }

    /// Waits until the changes so far have left memory, or throws why not.
    func awaitRoom() throws(StoreError) {
        let failure = state.wait { $0.room.take() }
        if let failure { throw failure }
    }

    func awaitOutcome() -> WriteOutcome { state.wait { $0.outcome } }

    // MARK: The thread that is at work in its group

    /// The open transaction; nil before.
    var transaction: WriteTransaction? { state.withLock { $0.transaction } }

    /// Answers that the changes so far have left memory, or why not.
    func answer(_ failure: StoreError?) { state.update { $0.room = .some(failure) } }

    /// Reports to its owner the outcome of the changes that it builds on.
    func noteBase(_ base: Result<Void, StoreError>) { state.update { $0.base = base } }

    /// Never called: its owner has made its changes, once and for all.
    func run(_ transaction: WriteTransaction) throws(StoreError) { throw .interactiveWriteEnded }

    func finish(_ outcome: WriteOutcome) {
        state.update { $0.outcome = outcome }
        done.withLock { $0.take() }?()
    }
}

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
