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
        let record = try served.mappingStoreErrors(served.store.idempotencyRecord(key.id))
        guard let record else { return .first(claim) }
        return .repeat(try served.repeated(key.reply(in: record.payload)))
    }

    fileprivate func release(_ key: IdempotencyKey) { running.withLock { _ = $0.remove(key.id) } }
}

/// A running request's claim to its idempotency key; it ends with ``release()`` or with the object.
package final class IdempotencyClaim: Sendable {
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

/// The meaning of a request's idempotency key: the identifier under which the reply is stored, and the hash that
/// distinguishes a repeat of the request from another one.
package struct IdempotencyKey: Sendable, Hashable {
    /// A hash of the key and of all that it belongs to.
    package let id: [UInt8]
    /// A hash of the request, always of the same length.
    package let request: [UInt8]
    /// The principal that the reply is counted for.
    package let owner: IdempotencyOwner

    /// Names a request by its hashes.
    package init(id: [UInt8], request: [UInt8], of owner: IdempotencyOwner = .nobody) {
        self.id = id
        self.request = request
        self.owner = owner
    }

    /// The reply in a record, which follows the hash of the request.
    ///
    /// - Throws: ``RequestFault`` `.invalid` when it was made to another request, `.failed` when it can't be read.
    func reply(in record: [UInt8]) throws(RequestFault) -> [UInt8] {
        guard record.count >= request.count else { throw .unreadableIdempotencyRecord }
        guard record.starts(with: request) else { throw .idempotencyKeyReused }
        return Array(record[request.count...])
    }
}

extension RequestFault {
    /// The first request with the key has no reply yet.
    static let idempotencyKeyInUse = RequestFault(
        .conflict, "idempotency-key-in-use",
        "A request with this Idempotency-Key is still running; ask again for its reply.",
        retryAfterSeconds: 1)

    /// The key was used for another request.
    static let idempotencyKeyReused = RequestFault(
        .invalid, "idempotency-key-reused",
        "This Idempotency-Key was used for another request to this path; make a new key for each "
            + "request, and repeat a request without changes.")

    /// A record is damaged.
    package static let unreadableIdempotencyRecord = RequestFault(
        .failed, "storage-failed",
        "The reply that was stored for this Idempotency-Key can't be read.")
}
