import CHoldfastCrypto
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension IdempotencyKey {
    /// The most characters of a key.
    private static let byteCountMax = 255

    /// Reads the header; nil if the request does not have it. Cost: a hash of the body.
    ///
    /// - `scope`: The owner of a key beside the path: the user, or the token if tokens are needed.
    /// - `owner`: The owner of the room that the reply takes.
    /// - Throws: ``RequestFault`` `.malformed` for a key that is empty, too long, stated twice, or not of printable ASCII.
    init?(_ request: Request, scope: [UInt8], of owner: IdempotencyOwner) throws(RequestFault) {
        guard let key = request.header(.idempotencyKey) else { return nil }
        guard request.headers(.idempotencyKey).count == 1,
            (1...Self.byteCountMax).contains(key.count),
            key.bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else {
            let detail =
                "'Idempotency-Key' is one text of 1 to \(Self.byteCountMax) printable ASCII characters, "
                + "such as a fresh UUID for each request."
            throw .header("Idempotency-Key", detail)
        }
        // No part can hold a NUL, so that no two lists of parts make the same text.
        var named = scope + [0]
        named += request.rawPath.bytes
        named.append(0)
        named += key.bytes
        let id = try Self.hash(named)
        var stated = Array("\(request.method.name)".utf8) + [0]
        stated += request.rawTarget.bytes
        stated.append(0)
        if let type = request.header(.contentType) { stated += type.bytes }
        stated.append(0)
        stated += try Self.hash(request.body)
        self.init(id: id, request: try Self.hash(stated), of: owner)
    }

    /// The scope of a user's keys, by whichever token they come.
    static func scope(ofUser user: String) throws(RequestFault) -> [UInt8] {
        Array("user ".utf8)
            + (try hash(Array(user.utf8)).flatMap { [$0 >> 4 | 0x40, $0 & 15 | 0x40] })
    }

    private static func hash(_ bytes: [UInt8]) throws(RequestFault) -> [UInt8] {
        // Not `withUnsafeBytes { try … }`, which loses the error's type.
        let digest = bytes.withUnsafeBytes { Self.digest($0) }
        guard let digest else { throw .hashingFailed }
        return digest
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) -> [UInt8] {
        guard let digest = digest(bytes) else { throw .hashingFailed }
        return digest
    }

    /// The SHA-256; nil when the library fails.
    private static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        guard shim_sha256(bytes.baseAddress, bytes.count, &digest) == 1 else { return nil }
        return digest
    }
}

extension RequestFault {
    /// The library that makes hashes failed.
    fileprivate static let hashingFailed = RequestFault(
        .unavailable, "busy", "The Idempotency-Key could not be read; try again.",
        retryAfterSeconds: 1)
}

extension RESTService {
    /// Runs `body` for a request whose `Idempotency-Key`, if it has one, was not used before; answers a
    /// repeat with the first reply.
    ///
    /// - Throws: ``RequestFault`` `.conflict` while the first request runs, `.invalid` when the key was used for another one,
    ///   `.malformed` for the key of a request without a needed token, and errors of `body`.
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
        "'Idempotency-Key' needs a user or a token, and this request has neither; sign in, or leave it out."
    )
}
