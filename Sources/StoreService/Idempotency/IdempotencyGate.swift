import HoldfastObjectJSON
import HoldfastObjectStore
import Synchronization

/// The requests with an idempotency key that are running. Thread-safe.
package final class IdempotencyGate: Sendable {
    private let running = Mutex<Set<[UInt8]>>([])

    /// The finding of a request with a key.
    package enum Entry {
        /// It is the first with its key, which it holds now.
        case first(IdempotencyClaim)
        /// It is a repeat; the reply as it was recorded, with its JSON in ``RequestScratch/reply``.
        case `repeat`(WriteReply)
    }

    init() {}

    /// Lets a request in, or finds the reply to an earlier one.
    ///
    /// - Throws: ``RequestFault`` `.conflict` while another request with the key runs, `.invalid` when the key was used
    ///   for another one.
    package func enter(_ key: IdempotencyKey, _ served: ServedStore) throws(RequestFault) -> Entry {
        guard running.withLock({ $0.insert(key.id).inserted }) else { throw .idempotencyKeyInUse }
        let claim = IdempotencyClaim(key, self)
        // The first request has let go of the key only after its commit, so that its reply is seen here.
        let record = try served.stored(served.store.idempotencyRecord(key.id))
        guard let record else { return .first(claim) }
        return .repeat(try served.repeated(key.reply(in: record.payload)))
    }

    fileprivate func release(_ key: IdempotencyKey) {
        running.withLock { _ = $0.remove(key.id) }
    }
}

/// A running request's claim to its idempotency key; it ends with ``release()`` or with the object.
package final class IdempotencyClaim: Sendable {
    /// The key.
    package let key: IdempotencyKey
    private let gate: IdempotencyGate
    private let isReleased = Atomic<Bool>(false)

    fileprivate init(_ key: IdempotencyKey, _ gate: IdempotencyGate) {
        self.key = key
        self.gate = gate
    }

    /// Lets repeats of the request in: before its reply is sent, since they may come right after it.
    package func release() {
        let wasReleased = isReleased.exchange(true, ordering: .sequentiallyConsistent)
        if !wasReleased { gate.release(key) }
    }

    deinit { release() }
}
