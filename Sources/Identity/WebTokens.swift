import HoldfastAccess
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService

/// The JSON Web Tokens (RFC 7519) of one issuer for one audience. Thread-safe.
///
/// The key decides on the algorithm, and a token's `alg` must match it. Key references in a token (`jku`, `x5u`, `jwk`) are
/// ignored.
package struct WebTokens: Sendable {
    /// The tolerated difference between the clocks of issuer and service, in seconds.
    package static let leewaySeconds: Int64 = 60

    package let keys: SigningKeys
    private let issuer: String
    private let audience: String

    /// Accepts tokens with this issuer and audience that are signed by one of the keys.
    package init(keys: SigningKeys, issuer: String, audience: String) {
        self.keys = keys
        self.issuer = issuer
        self.audience = audience
    }

    /// Verifies a token in its compact form, and returns it with the revision of the keys.
    ///
    /// - `now`: Seconds since 1970.
    /// - Throws: ``RequestFault`` `.unauthenticated`, or `.unavailable` until keys could be read.
    package func verified(
        _ token: UnsafeRawBufferPointer, at now: Int64
    ) throws(RequestFault) -> (token: WebToken, keyRevision: UInt64) {
        guard let parts = Self.parts(of: token) else {
            throw .webToken("The token is neither of this service nor a JSON Web Token.")
        }
        let buffer = ByteBuffer(capacity: token.count)
        let (algorithm, keyID) = try head(parts.head, buffer)
        guard let (set, revision) = keys.current else {
            keys.want()
            throw RequestFault(
                .unavailable, "keys-unavailable",
                "The keys of the issuer of JSON Web Tokens can't be read; try again later.",
                retryAfterSeconds: keys.retrySeconds)
        }
        guard let key = set.key(id: keyID, for: algorithm) else {
            keys.want()
            throw .webToken(
                keyID == nil
                    ? "The token names no key, and its issuer has not just one for its algorithm."
                    : "The token's key is not known, or is for another algorithm. The issuer's keys are read again, once a minute at most."
            )
        }
        guard key.hasSigned(token) else { throw .webToken("The token's signature is wrong.") }
        return (try body(parts.body, buffer, now), revision)
    }

    /// The head and body of a token with exactly three parts, without base64 padding.
    private static func parts(
        of token: UnsafeRawBufferPointer
    ) -> (head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer)? {
        let parts = token.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !token.contains(UInt8(ascii: "=")) else { return nil }
        return (
            UnsafeRawBufferPointer(rebasing: parts[0]), UnsafeRawBufferPointer(rebasing: parts[1])
        )
    }

    private func head(
        _ part: UnsafeRawBufferPointer, _ buffer: ByteBuffer
    ) throws(RequestFault) -> (SigningAlgorithm, keyID: String?) {
        let head = try object(part, buffer)
        // Critical extensions must be supported (RFC 7515, section 4.1.11), and no extension is.
        if head.member(named: "crit") != nil {
            throw .webToken("The token's 'crit' names an extension that is not supported.")
        }
        guard let name = head.member(named: "alg")?.string,
            let algorithm = SigningAlgorithm(rawValue: name)
        else { throw .webToken("The token is not signed by an RS, PS, ES or HS256 algorithm.") }
        guard let id = head.member(named: "kid") else { return (algorithm, nil) }
        guard let text = id.string else { throw .webToken("The token's 'kid' is not a string.") }
        return (algorithm, text)
    }

    private func body(
        _ part: UnsafeRawBufferPointer, _ buffer: ByteBuffer, _ now: Int64
    ) throws(RequestFault) -> WebToken {
        let body = try object(part, buffer)
        guard body.member(named: "iss")?.string?.isSame(as: issuer) ?? false else {
            throw .webToken("The token is from another issuer.")
        }
        guard let audience = body.member(named: "aud"), isOurs(audience) else {
            throw .webToken("The token is for another audience.")
        }
        guard let user = body.member(named: "sub")?.string, TokenMembers.isUser(user) else {
            throw .webToken("The token names no user: 'sub' is a text of 1 to 255 bytes.")
        }
        guard let expires = try seconds("exp", of: body) else {
            throw .webToken("The token has no expiry: 'exp' is missing.")
        }
        guard now < expires + Self.leewaySeconds else { throw .webToken("The token has expired.") }
        if let begin = try seconds("nbf", of: body), now + Self.leewaySeconds < begin {
            throw .webToken("The token is not valid yet.")
        }
        let claims: Claims
        do throws(RequestFault) { claims = try Claims(body, in: buffer.bytes) } catch {
            throw .webToken(error.detail)
        }
        return WebToken(
            user: user, claims: claims, issued: try seconds("iat", of: body) ?? .min,
            expires: expires)
    }

    /// Reads a part that is a JSON object, strictly: no extra bytes, no repeated name at any depth.
    private func object(
        _ part: UnsafeRawBufferPointer, _ buffer: ByteBuffer
    ) throws(RequestFault) -> JSONValue {
        buffer.removeAll()
        guard Base64.decode(part, alphabet: .url, into: buffer),
            let value = try? RequestScratch.current.parser.parse(buffer.bytes),
            value.kind == .object, value.repeatedName == nil
        else { throw .webToken("A part of the token is not a JSON object, or has a name twice.") }
        return value
    }

    private func isOurs(_ audience: JSONValue) -> Bool {
        if let text = audience.string { return text.isSame(as: self.audience) }
        return audience.kind == .array
            && audience.elements.contains { $0.string?.isSame(as: self.audience) ?? false }
    }

    /// A time in seconds. It may have a fraction.
    private func seconds(_ name: StaticString, of body: JSONValue) throws(RequestFault) -> Int64? {
        guard let value = body.member(named: name) else { return nil }
        guard let number = value.double, number >= 0, number < Double(Timestamp.secondsEnd) else {
            throw .webToken("The token's '\(name)' is not a time in seconds.")
        }
        return Int64(number)
    }
}

extension RequestFault {
    fileprivate static func webToken(_ detail: String) -> RequestFault {
        RequestFault(.unauthenticated, "token-invalid", detail)
    }
}

/// The claims of a JSON Web Token, signed by its issuer.
package struct WebToken: Sendable {
    /// The id of the user, its `sub`.
    package let user: String
    package let claims: Claims
    /// The time of issue, in seconds since 1970; the earliest time if the token lacks it.
    package let issued: Int64
    /// The time of expiry, in seconds since 1970.
    package let expires: Int64
}
