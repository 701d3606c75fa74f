extension Realm {
    /// The argument of ``cancelAsyncWrite(_:)``.
    public typealias AsyncTransactionId = UInt32

    /// Runs `block` in a write transaction, later and in the realm's place, and commits it without waiting for the medium.
    ///
    /// Asynchronous writes run in the order in which they were begun. An error that `block` throws, and a fault of a value in it,
    /// rolls the write back. The realm belongs to a queue, an actor or the main thread.
    ///
    /// - Parameters:
    ///   - block: The write.
    ///   - onComplete: Is called there when the write is durable, or with the error because of which it was rolled back.
    /// - Returns: The number that cancels it.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () throws -> Void,
        onComplete: ((_ error: (any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let core = core
        let onComplete = onComplete ?? { _ in }
        nonisolated(unsafe) var id: AsyncTransactionId = 0
        id = core.beginAsync(
            {
                do { try block() } catch {
                    if core.isInWrite { core.cancel() }
                    return onComplete(error)
                }
                // The block may have cancelled it.
                if core.isInWrite { core.commitAsync(id, onComplete) } else { onComplete(nil) }
            }, fail: onComplete)
        return id
    }

    /// Has `block` called in a write transaction, later and in the realm's place; it ends the transaction with ``commitAsyncWrite(allowGrouping:_:)``,
    /// ``commitWrite(withoutNotifying:)`` or ``cancelWrite()``. One that it leaves open is cancelled.
    ///
    /// - Returns: The number that cancels it.
    @discardableResult
    public func beginAsyncWrite(
        asyncWriteBlock block: @escaping () -> Void
    ) -> AsyncTransactionId {
        core.beginAsync(block) { Misuse.end("The write can't begin: \($0)") }
    }

    /// Commits the write transaction without waiting for the medium.
    ///
    /// The realm shows its changes; a read before they are durable waits for that.
    ///
    /// - Parameters:
    ///   - allowGrouping: Ignored: commits that come together always share a sync.
    ///   - onComplete: Is called in the realm's place when the changes are durable, or with the error because of which they were rolled back.
    /// - Returns: The argument of ``cancelAsyncWrite(_:)``, which stops the notification.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: ((_ error: (any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let id = core.asyncWrites.makeID()
        core.commitAsync(id, onComplete ?? { _ in })
        return id
    }

    /// Cancels an asynchronous write that has not begun; one that is committed already is only not told of.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        core.cancelAsync(asyncTransactionId)
    }

    /// Whether asynchronous writes wait, or are on their way to the medium.
    public var isPerformingAsynchronousWriteOperations: Bool {
        if !core.confinement.isCurrent, !core.isFrozen {
            Misuse.end("Realm accessed from incorrect thread.")
        }
        return !core.asyncWrites.isEmpty
    }

    /// Whether the realm follows the commits of others by itself, which it does unless this is set to false. One of a thread does not: it has
    /// ``refresh()``.
    public var autorefresh: Bool {
        get {
            core.checkThread()
            return core.autorefresh
        }
        nonmutating set {
            core.checkThread()
            if newValue, core.isFrozen {
                Misuse.end("Auto-refresh cannot be enabled for frozen Realms.")
            }
            core.autorefresh = newValue
        }
    }
}
