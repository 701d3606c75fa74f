import HoldfastHTTPServer

/// A header that would change the meaning of a request: an operation that does not take it refuses it, so that nothing
/// is done that was not meant.
struct RefusedHeader: Sendable {
    let name: HeaderName
    /// The methods of the operations that refuse it.
    private let methods: [Method]
    /// The cause and the next step.
    let detail: String

    /// Returns the headers that an operation refuses.
    ///
    /// - `taken`: The names of those that it takes.
    static func all(of method: Method, taken: [String]) -> [RefusedHeader] {
        all.filter { $0.methods.contains(method) && !taken.contains($0.name.text.description) }
    }

    private static let all = [
        // `If-None-Match` on a read asks for less than the reply, so that a read without it answers as it would.
        RefusedHeader(
            name: .ifMatch, methods: [.get, .put, .post, .patch, .delete],
            detail: condition("If-Match")),
        RefusedHeader(
            name: .ifNoneMatch, methods: [.put, .post, .patch, .delete],
            detail: condition("If-None-Match")),
        // PUT and DELETE can be repeated as they are.
        RefusedHeader(
            name: .idempotencyKey, methods: [.post, .patch],
            detail:
                "This operation takes no Idempotency-Key, for its reply is not stored, so nothing was done; leave it "
                + "out. (An import can be repeated with mode=merge, replace or ignore.)"),
        // RFC 9110, section 14.5.
        RefusedHeader(
            name: .contentRange, methods: [.put, .post, .patch],
            detail:
                "Content-Range says that the body is a part of something, and a body is taken for the whole, so "
                + "nothing was done; send all of it without Content-Range. (PATCH changes parts.)"),
    ]

    private static func condition(_ name: String) -> String {
        "This operation takes no \(name), so nothing was done; leave it out. (An operation of a transaction has an "
            + "'ifMatch' of its own.)"
    }
}
