import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// Runs `body` for a request whose `Idempotency-Key`, if it has one, was not used before; answers a
    /// repeat with the first reply.
    ///
    /// - Throws: ``RequestFault`` `.conflict` while the first request runs, `.invalid` when the key was used for another one,
    ///   `.malformed` for the key of a request without a token, where one is needed, and what `body` throws.
    func once(
        _ request: Request, _ body: (IdempotencyClaim?) throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        guard request.method == .post || request.method == .patch,
            request.header(.idempotencyKey) != nil
        else { return try body(nil) }
        var scope: [UInt8] = []
        var owner = IdempotencyOwner(number: caller(request).token ?? 0, isUser: false)
        if let user = principal(of: request)?.user {
            owner.isUser = true
            scope = try IdempotencyKey.scope(ofUser: user)
        } else if needsToken {
            guard let token = request.grant?.owner, token != 0 else { throw .keyOfNobody }
            scope = Array("token \(token)".utf8)
        }
        guard let key = try IdempotencyKey(request, scope: scope, of: owner) else {
            return try body(nil)
        }
        switch try served.idempotency.enter(key, served) {
        case .first(let claim): return try body(claim)
        case .repeat(var reply):
            try served.show(&reply, to: caller(request), try Preferences(request).form)
            return .respond(response(to: reply))
        }
    }
}

extension RequestFault {
    /// A visitor has no keys of their own: another's could be met, or guessed.
    fileprivate static let keyOfNobody = RequestFault.header(
        "Idempotency-Key",
        "'Idempotency-Key' belongs to a user or a token, and this request has none; sign in, or leave it out."
    )
}
