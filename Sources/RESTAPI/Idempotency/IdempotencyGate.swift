import Synchronization

/// The requests with an idempotency key that are running. Thread-safe.
final class IdempotencyGate: Sendable {
    private let running = Mutex<Set<[UInt8]>>([])

    /// Lets a request in; nil while another one with its key is running.
    func claim(_ key: IdempotencyKey) -> IdempotencyClaim? {
        let isFirst = running.withLock { $0.insert(key.id).inserted }
        return isFirst ? IdempotencyClaim(key, self) : nil
    }

    fileprivate func release(_ key: IdempotencyKey) {
        running.withLock { _ = $0.remove(key.id) }
    }
}

/// A running request's hold on its idempotency key; it ends with ``release()`` or with the object.
final class IdempotencyClaim: Sendable {
    let key: IdempotencyKey
    private let gate: IdempotencyGate
    private let isReleased = Atomic<Bool>(false)

    fileprivate init(_ key: IdempotencyKey, _ gate: IdempotencyGate) {
        self.key = key
        self.gate = gate
    }

    /// Lets repeats of the request in: before its reply is sent, since they may come right after it.
    func release() {
        let wasReleased = isReleased.exchange(true, ordering: .sequentiallyConsistent)
        if !wasReleased { gate.release(key) }
    }

    deinit { release() }
}
