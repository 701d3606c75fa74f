extension Realm {
    /// The argument of ``cancelAsyncWrite(_:)``.
    public typealias AsyncTransactionId = UInt32

    /// Runs `block` in a write transaction, later and where the realm belongs. The write is committed without waiting for the
    /// medium.
    ///
    /// Asynchronous writes run in the order in which they were begun. An error that `block` throws, or a fault of a value in it,
    /// rolls the write back. The realm must belong to a queue, an actor or the main thread.
    ///
    /// - Parameters:
    ///   - block: The write.
    ///   - onComplete: Called where the realm belongs: when the write is durable, or with the error that rolled it back.
    /// - Returns: The number with which ``cancelAsyncWrite(_:)`` cancels the write.
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
                // The block may have cancelled the write.
                if core.isInWrite { core.commitAsync(id, onComplete) } else { onComplete(nil) }
            }, fail: onComplete)
        return id
    }

    /// Calls `block` in a write transaction, later and where the realm belongs. The block ends the transaction with
    /// ``commitAsyncWrite(allowGrouping:_:)``, ``commitWrite(withoutNotifying:)`` or ``cancelWrite()``. Otherwise the transaction
    /// is cancelled.
    ///
    /// - Returns: The number with which ``cancelAsyncWrite(_:)`` cancels the write.
    @discardableResult
    public func beginAsyncWrite(
        asyncWriteBlock block: @escaping () -> Void
    ) -> AsyncTransactionId {
        core.beginAsync(block) { Misuse.end("The write can't begin: \($0)") }
    }

    /// Commits the write transaction without waiting for the medium.
    ///
    /// The realm shows the changes. A read before they are durable waits for that.
    ///
    /// - Parameters:
    ///   - allowGrouping: Ignored: commits that come together always share a sync.
    ///   - onComplete: Called where the realm belongs: when the changes are durable, or with the error that rolled them back.
    /// - Returns: The argument of ``cancelAsyncWrite(_:)``, to stop the notification.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: ((_ error: (any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let id = core.asyncWrites.makeID()
        core.commitAsync(id, onComplete ?? { _ in })
        return id
    }

    /// Cancels an asynchronous write that has not begun. For a write that is already committed, only its notification is stopped.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        core.cancelAsync(asyncTransactionId)
    }

    /// Whether asynchronous writes are waiting or are being made durable.
    public var isPerformingAsynchronousWriteOperations: Bool {
        if !core.confinement.isCurrent, !core.isFrozen {
            Misuse.end("Realm accessed from incorrect thread.")
        }
        return !core.asyncWrites.isEmpty
    }

    /// Whether the realm follows other commits by itself. True unless set to false. A realm of a thread does not follow commits;
    /// it has ``refresh()``.
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
