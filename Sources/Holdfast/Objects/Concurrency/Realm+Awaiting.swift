import Synchronization

extension Realm {
    /// Runs `block` in a write transaction of the actor's realm, without blocking the actor before and after it.
    ///
    /// Writes run in the order in which they were begun. A task that is cancelled before its write is committed rolls it back.
    ///
    /// - Parameters:
    ///   - isolation: The actor, on which the calling code runs.
    ///   - block: The write.
    /// - Returns: The result of `block`, when the write is durable.
    /// - Throws: The errors of `block` and of ``write(withoutNotifying:_:)``, after everything was rolled back;
    ///   `CancellationError`.
    @discardableResult
    public func asyncWrite<Result>(
        isolation: isolated any Actor = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await withoutActuallyEscaping(block) { block in
            try await written(isolation: isolation, AwaitedBlock(block))
        }
    }

    /// Runs the block of a write, and waits until it is durable.
    private func written<Result>(
        isolation: isolated any Actor, _ block: AwaitedBlock<Result>
    ) async throws -> Result {
        let core = core
        let cancelling = Cancelling()
        var result: Result?
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation(isolation: isolation) {
                (continuation: CheckedContinuation<Void, any Swift.Error>) in
                nonisolated(unsafe) var id: AsyncTransactionId = 0
                id = core.beginAsync(
                    {
                        do {
                            defer { block.end() }
                            try cancelling.check()
                            result = try block.run()
                            try cancelling.check()
                        } catch {
                            if core.isInWrite { core.cancel() }
                            return continuation.resume(throwing: error)
                        }
                        guard core.isInWrite else { return continuation.resume() }
                        core.commitAsync(id) { error in
                            if let error {
                                continuation.resume(throwing: error)
                            } else {
                                continuation.resume()
                            }
                        }
                    },
                    fail: {
                        block.end()
                        continuation.resume(throwing: $0)
                    })
                cancelling.begin(id, in: core)
            }
        } onCancel: {
            cancelling.cancel()
        }
        guard let result else { throw CancellationError() }
        return result
    }

    /// Advances the actor's realm to the newest version.
    ///
    /// - Returns: Whether the version changed.
    @discardableResult
    public func asyncRefresh(isolation: isolated any Actor = #isolation) async -> Bool { refresh() }
}

/// The block of an awaited write. It is released before the wait ends, even if the write itself is still referenced. Used on the
/// realm's own thread or executor.
private final class AwaitedBlock<Result> {
    private var block: (() throws -> Result)?

    init(_ block: @escaping () throws -> Result) { self.block = block }

    /// - Throws: The error of the block; `CancellationError` if the block was released.
    func run() throws -> Result {
        guard let block else { throw CancellationError() }
        return try block()
    }

    func end() { block = nil }
}

/// The cancellation of a task's write. Any thread may cancel.
private final class Cancelling: Sendable {
    private struct State {
        var isCancelled = false
        var write: (id: Realm.AsyncTransactionId, core: RealmCore)?
    }

    private let state = Mutex(State())

    func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    /// Notes the waiting write.
    func begin(_ id: Realm.AsyncTransactionId, in core: RealmCore) {
        let isCancelled = state.withLock { state in
            state.write = (id, core)
            return state.isCancelled
        }
        if isCancelled { core.cancelAsync(id)?.fail(CancellationError()) }
    }

    func cancel() {
        let write = state.withLock { state in
            state.isCancelled = true
            return state.write
        }
        guard let (id, core) = write else { return }
        // A write that is still queued ends at once, without its turn.
        core.confinement.schedule { core.asyncWrites.takeRequest(id)?.fail(CancellationError()) }
    }
}
