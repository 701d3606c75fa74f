import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

/// Decides before a request's body is read whether the request may go on. Thread-safe.
///
/// With tokens, each request needs one with the right of its operation, or for an event stream a ticket. Without,
/// everything is allowed, but only under the machine's own names: a web page that made its name point to 127.0.0.1
/// (DNS rebinding) sends another `Host`, and a page of another origin that posts a form sends its `Origin`.
package final class AccessPolicy: Sendable {
    private let tokens: AccessTokens
    private let users: SignedInUsers?
    /// Whether the operator has opened the service to every client that reaches it.
    private let isInsecure: Bool
    private let cors: CORSPolicy

    /// Makes the policy.
    ///
    /// - `users`: The users with tokens of an issuer or sessions. If an issuer is named, each request needs a token.
    package init(
        tokens: AccessTokens, users: SignedInUsers? = nil, isInsecure: Bool, cors: CORSPolicy
    ) {
        self.tokens = tokens
        self.users = users
        self.isInsecure = isInsecure
        self.cors = cors
    }

    /// Whether requests need one of the existing tokens.
    static func needsToken(_ tokens: AccessTokens?, _ users: SignedInUsers?) -> Bool {
        users?.hasIssuer ?? false || tokens?.isEnforced ?? false
    }

    private var needsToken: Bool { Self.needsToken(tokens, users) }

    /// The paths for signing in, which are open to every client.
    private static let pathsForAnyone = Operation.all.filter { $0.users == .anyone }.map(\.path)

    /// Returns the refusal of a request for an operation that needs `right`; nil if it may continue, as
    /// long as the grant holds that it is given.
    ///
    /// - Parameters:
    ///   - request: The request, which gets the grant.
    ///   - right: The right that its operation needs; nil without one.
    ///   - users: The users that may call its operation.
    ///   - tickets: The tickets that admit it without a token; nil if no ticket does.
    ///   - nobody: The grant that admits it without a needed token; nil without one.
    ///   - takesLinks: Whether the token of a link to the console admits it, see ``ConsolePath``.
    /// - Returns: The refusal.
    func refusal(
        of request: Request, needing right: Right?, byUsers users: Operation.Users = .none,
        orBy tickets: StreamTickets? = nil, nobody: Grant? = nil, takesLinks: Bool = false
    ) -> Response? {
        guard let needed = right else { return nil }
        if needsToken {
            if users == .anyone, request.header(.authorization) == nil { return nil }
            if let nobody, request.header(.authorization) == nil,
                tickets == nil || request[query: StreamTickets.parameter] == nil
            {
                request.grant = nobody
                return nil
            }
            do throws(RequestFault) {
                request.grant = try grant(
                    of: request, needed, users != .none, tickets, nobody, takesLinks)
                return nil
            } catch { return Response(error) }
        }
        if !isInsecure, let fault = checkOrigin(request) { return Response(fault) }
        request.grant = tokens.open.grant(needed)
        return nil
    }

    /// Whether pages of all origins may send a request: it has a token or a ticket, which another page can't know, and no
    /// cookie rides along; or it is a preflight for a request with a token. A token that is not needed proves nothing.
    func admitsAllOrigins(_ request: Request) -> Bool {
        guard needsToken else { return false }
        // A request that signs in has a password, which another page can't know either.
        if Self.pathsForAnyone.contains(where: { request.rawPath.string == $0 }) { return true }
        guard request.method != .options else {
            return request.header(.accessControlRequestHeaders)?.listContains("authorization")
                ?? false
        }
        return request.header(.authorization) != nil
            || request[query: StreamTickets.parameter] != nil
    }

    private func grant(
        of request: Request, _ needed: Right, _ isForUsers: Bool, _ tickets: StreamTickets?,
        _ nobody: Grant?, _ takesLinks: Bool
    ) throws(RequestFault) -> Grant {
        if let tickets, request.header(.authorization) == nil,
            request[query: StreamTickets.parameter] != nil
        {
            return try tickets.grant(of: request, needing: needed, from: tokens, users, or: nobody)
        }
        let token = try Self.token(of: request, orTicket: tickets != nil)
        if let grant = try users?.grant(token) {
            guard isForUsers else {
                throw RequestFault(
                    .forbidden, "not-allowed",
                    "This operation needs a token without a user.")
            }
            return grant
        }
        guard let access = tokens.access(of: token) else {
            throw RequestFault(
                .unauthenticated, "token-invalid",
                "The token is unknown, was revoked or has expired, or its user is blocked or was signed out."
            )
        }
        guard let grant = access.grant(needed) else {
            if takesLinks, let token = access.token, ConsolePath.isLink(token),
                let grant = access.grant(token.terms.right)
            {
                return grant
            }
            throw RequestFault(
                .forbidden, "right-missing",
                "The token has the right '\(access.right.rawValue)'; this operation needs '\(needed.rawValue)'."
            )
        }
        return grant
    }

    /// The token in a request's header.
    ///
    /// - `orTicket`: Whether a ticket in the URL would admit the request as well.
    static func token(
        of request: Request, orTicket: Bool = false
    ) throws(RequestFault) -> UnsafeRawBufferPointer {
        guard let header = request.header(.authorization) else {
            throw RequestFault(
                .unauthenticated, "token-missing",
                "This service needs a token: send the header 'Authorization: Bearer TOKEN'. "
                    + "'holdfast token create' makes one; a user with an account signs in with POST /v1/sessions."
                    + (orTicket
                        ? " A client that can't send headers gets a 'ticket' for the URL from POST /v1/tickets."
                        : "")
            )
        }
        // The name of a scheme has no case (RFC 9110, section 11.1).
        let scheme: StaticString = "Bearer "
        guard header.count > scheme.utf8CodeUnitCount, header.hasPrefixIgnoringCase(scheme) else {
            throw RequestFault(
                .unauthenticated, "token-invalid",
                "The Authorization header has the form 'Bearer TOKEN'.")
        }
        // Any number of blanks may separate the two (section 11.4).
        let token = header.bytes[scheme.utf8CodeUnitCount...].drop { $0 == UInt8(ascii: " ") }
        return UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: token))
    }

    private func checkOrigin(_ request: Request) -> RequestFault? {
        guard let host = request.host else { return nil }
        let isRead = request.method == .get || request.method == .head
        if !Self.isUsualName(host) {
            let name = Self.hostName(host.string)
            guard Self.isLoopback(name) else {
                return RequestFault(
                    .misdirected, "host-not-served",
                    "Without tokens this service answers only to localhost and loopback addresses, "
                        + "not to '\(name)'. Make a token with 'holdfast token create', or start it "
                        + "with --insecure.")
            }
        }
        guard !isRead, let origin = request.header(.origin),
            !request.isForHost(of: origin, "http://")
        else { return nil }
        guard cors.names(origin) else {
            return RequestFault(
                .forbidden, "origin-refused",
                "Pages of '\(origin.string)' may not change anything here; --cors-origin allows an origin."
            )
        }
        return nil
    }

    /// Whether a `Host` header is one of the most frequent ones. Costs no allocation.
    /// Each of them is a name that ``isLoopback(_:)`` knows.
    private static func isUsualName(_ host: RequestText) -> Bool {
        let nameCount: Int
        if host.hasPrefix("127.0.0.1") || host.hasPrefix("localhost") {
            nameCount = 9
        } else if host.hasPrefix("[::1]") {
            nameCount = 5
        } else {
            return false
        }
        return host.count == nameCount || host.bytes[nameCount] == UInt8(ascii: ":")
    }

    /// Returns a `Host` header without its port and the brackets of IPv6.
    static func hostName(_ host: String) -> String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    /// Whether a name or address stands for this machine alone: `localhost`, names below it
    /// (RFC 6761, section 6.3), 127.0.0.0/8 and ::1.
    package static func isLoopback(_ name: String) -> Bool {
        let name = name.lowercased()
        if name == "localhost" || name == "::1" || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil }
    }
}
