import HoldfastObjectJSON
import HoldfastObjectStore

/// The meaning of a request's idempotency key: the identifier under which the reply is stored, and what
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

    /// The reply in a record: what follows the hash of the request.
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
            + "request, and repeat a request with all that it had.")

    /// A record is damaged.
    package static let unreadableIdempotencyRecord = RequestFault(
        .failed, "storage-failed",
        "The reply that was stored for this Idempotency-Key can't be read."
    )
}
