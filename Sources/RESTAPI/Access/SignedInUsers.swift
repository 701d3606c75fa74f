import Glibc
import HoldfastAccess
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService
import Synchronization

/// The users with JSON Web Tokens or sessions of accounts. Thread-safe.
///
/// A token is verified when it comes for the first time, and then found by its hash, as long as it has not ended and the issuer's
/// keys are the same.
package final class SignedInUsers: Sendable {
    /// The issuer's tokens; nil where no issuer is named.
    private let tokens: WebTokens?
    let sessions: AccountSessions
    /// Makes numbers of users.
    private let key: [UInt8]
    private let horizons: Mutex<UserHorizons>
    /// Held while a change of a user is stored.
    private let changing = Mutex(())
    private let seen = Mutex(SeenTokens(byteCountMax: 16 << 20))

    /// The users of an issuer and of accounts.
    ///
    /// - Parameters:
    ///   - tokens: The issuer's tokens; nil without an issuer.
    ///   - accounts: The accounts.
    ///   - key: A secret of the store: a user's number is theirs in every process, and cannot be chosen.
    ///   - barred: The users that the store bars.
    package init(
        _ tokens: WebTokens?, accounts: StoredAccounts, key: [UInt8], barred: [UserAccess]
    ) {
        self.tokens = tokens
        sessions = AccountSessions(accounts)
        // A user without a number, for lack of memory, can't sign in either.
        horizons = Mutex(
            UserHorizons(
                barred.compactMap { user in Principal(user: user.id).number(key).map { ($0, user) }
                }))
        self.key = key
    }

    /// Whether an issuer is named, so that each request needs a token.
    var hasIssuer: Bool { tokens != nil }

    /// Returns the grant of a token; nil if it is no token of a user. Cost: a hash of it if it
    /// was seen before, else a verification, or a look into the store.
    ///
    /// - Throws: ``RequestFault`` as ``WebTokens/verified(_:at:)``, and for a session that has ended.
    func grant(_ token: UnsafeRawBufferPointer) throws(RequestFault) -> Grant? {
        if token.starts(with: AccountSecret.Kind.session.prefix) {
            return try sessions.grant(token) { session, hash throws(RequestFault) in
                try self.grant(of: session, hash)
            }
        }
        if token.starts(with: TokenSecret.prefix) { return nil }
        return try tokens.map { tokens throws(RequestFault) in try grant(token, tokens) }
    }

    /// The grant of a session that asks for the first time.
    private func grant(of session: Session, _ hash: TokenHash) throws(RequestFault) -> Grant {
        let principal = Principal(user: session.account.id.description)
        guard let owner = principal.number(key) else { throw Self.failed }
        let horizon = horizons.withLock { $0.horizon(of: owner) }
        let user = SignedInUser(
            principal: principal, expires: nil,
            session: SignedInSession(account: session.account, hash: hash))
        let grant = Grant(
            owner: owner, until: session.end, issued: session.began, horizon: horizon, bearer: user)
        guard grant.ending == nil else { throw Self.barred }
        return grant
    }

    private func grant(
        _ token: UnsafeRawBufferPointer, _ tokens: WebTokens
    ) throws(RequestFault) -> Grant {
        guard let hash = TokenHash(of: token) else { throw Self.failed }
        let revision = tokens.keys.revision
        if let grant = seen.withLock({ $0.grant(of: hash, under: revision) }), grant.ending == nil {
            return grant
        }
        let now = Int64(time(nil))
        let (verified, keyRevision) = try tokens.verified(token, at: now)
        let principal = Principal(user: verified.user, claims: verified.claims)
        guard let owner = principal.number(key) else { throw Self.failed }
        // Its running requests end with the token; the leeway is for later requests.
        let end =
            verified.expires > now ? verified.expires : verified.expires + WebTokens.leewaySeconds
        let user = SignedInUser(principal: principal, expires: verified.expires, session: nil)
        let horizon = horizons.withLock { $0.horizon(of: owner) }
        let grant = Grant(
            owner: owner, until: end, issued: verified.issued, horizon: horizon, bearer: user)
        guard grant.ending == nil else { throw Self.barred }
        // Claims that a rule has asked for take some times as much, parsed.
        let byteCount = 4 * verified.claims.text.utf8.count
        seen.withLock { $0.add(grant, of: hash, under: keyRevision, byteCount: byteCount) }
        return grant
    }

    /// Lets a user in, or ends requests with credentials that are void now, once that is stored.
    ///
    /// - `store`: Stores it, and waits until it is durable. One change at a time, so that the last stored change is in force.
    func set(
        _ user: UserAccess, storing store: () throws(RequestFault) -> Void
    ) throws(RequestFault) {
        guard let number = Principal(user: user.id).number(key) else { throw Self.failed }
        try changing.withLock { _ throws(RequestFault) in
            try store()
            horizons.withLock { $0.set(user, number) }
        }
    }

    /// Whether a present sign-in of a user would be void.
    func isBarred(_ id: String) -> Bool {
        guard let number = Principal(user: id).number(key) else { return true }
        return horizons.withLock { $0.horizon(of: number) }.isBehind(Int64(time(nil)))
    }

    /// Ends its own threads.
    func stop() { tokens?.keys.stop() }

    private static let barred = RequestFault(
        .unauthenticated, "token-invalid",
        "The user is blocked, or was signed out after the token was issued.")

    private static let failed = RequestFault(
        .failed, "internal-error", "The token could not be hashed.")
}

/// A user that a token of an issuer names, or that has signed in with an account: the bearer of a grant.
final class SignedInUser: Sendable {
    let principal: Principal
    /// When the token ends, in seconds since 1970; nil for a session, which ends with its grant.
    let expires: Int64?
    /// The session; nil for a token of an issuer.
    let session: SignedInSession?

    init(principal: Principal, expires: Int64?, session: SignedInSession?) {
        self.principal = principal
        self.expires = expires
        self.session = session
    }
}

/// The session of a user with an account.
struct SignedInSession: Sendable {
    /// The account. Its id is the user's id.
    let account: Account
    /// The hash of the session's token.
    let hash: TokenHash
}

extension Request {
    /// The calling user; nil for a token of the store, and if no token is needed.
    var user: SignedInUser? { grant?.bearer as? SignedInUser }
}

/// The grants of verified tokens, within a limit. Grants that were not used recently are removed first. One thread at a time.
///
/// Benchmark row: `json-web-tokens`.
struct SeenTokens {
    private struct Seen {
        let grant: Grant
        let keyRevision: UInt64
        let byteCount: Int
    }

    private let byteCountMax: Int
    private var recent: [TokenHash: Seen] = [:]
    private var recentByteCount = 0
    /// The formerly recent grants. A used grant becomes recent again.
    private var former: [TokenHash: Seen] = [:]
    /// The memory of one beside its claims, about.
    private static let overheadByteCount = 400

    /// Room for so many bytes, twice.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    var count: Int { recent.count + former.count }

    /// The grant of a token that was verified under these keys.
    mutating func grant(of hash: TokenHash, under keyRevision: UInt64) -> Grant? {
        if let seen = recent[hash] { return seen.keyRevision == keyRevision ? seen.grant : nil }
        guard let seen = former.removeValue(forKey: hash), seen.keyRevision == keyRevision else {
            return nil
        }
        add(seen, of: hash)
        return seen.grant
    }

    /// Adds the grant of a token, with the bytes of the user's claims.
    mutating func add(
        _ grant: Grant, of hash: TokenHash, under keyRevision: UInt64, byteCount: Int
    ) {
        add(
            Seen(
                grant: grant, keyRevision: keyRevision,
                byteCount: byteCount + Self.overheadByteCount), of: hash)
    }

    private mutating func add(_ seen: Seen, of hash: TokenHash) {
        if recentByteCount + seen.byteCount > byteCountMax {
            former = recent
            recent = [:]
            recentByteCount = 0
        }
        recentByteCount += seen.byteCount - (recent.updateValue(seen, forKey: hash)?.byteCount ?? 0)
    }
}

/// The horizons of barred users and of users with grants, by their numbers. One thread at a time.
struct UserHorizons {
    private struct Known {
        var horizon: GrantHorizon
        var isBarred: Bool
    }

    private var known: [UInt64: Known] = [:]
    /// The number of users at which users without a grant are removed.
    private var sweepCount = 1024

    /// The horizons of users that the store bars.
    init(_ barred: [(number: UInt64, UserAccess)]) {
        for (number, user) in barred { set(user, number) }
    }

    /// The one horizon of a user, as long as it is referenced.
    mutating func horizon(of number: UInt64) -> GrantHorizon {
        if let horizon = known[number]?.horizon { return horizon }
        if known.count >= sweepCount { sweep() }
        let horizon = GrantHorizon()
        known[number] = Known(horizon: horizon, isBarred: false)
        return horizon
    }

    /// Moves the horizon of a user.
    mutating func set(_ user: UserAccess, _ number: UInt64) {
        let horizon = horizon(of: number)
        horizon.move(to: user.horizon)
        known[number] = Known(horizon: horizon, isBarred: user.horizon != .min)
    }

    var count: Int { known.count }

    private mutating func sweep() {
        var kept: [UInt64: Known] = [:]
        for number in Array(known.keys) {
            guard var user = known.removeValue(forKey: number) else { continue }
            if user.isBarred || !isKnownUniquelyReferenced(&user.horizon) { kept[number] = user }
        }
        known = kept
        sweepCount = max(1024, 2 * known.count)
    }
}

extension RESTService {
    /// `GET /v1/me`: the caller and its rights. Without tokens every right is granted.
    func getCaller(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let token = token(of: request)
        let user = request.user
        let expires = user?.expires ?? request.grant?.until ?? .max
        @Sendable func response(_ roles: [String]?) -> Response {
            Response.object(200) { object in
                if let user {
                    object.member("user").string(user.principal.user ?? "")
                    if let session = user.session {
                        object.member("login").string(session.account.login)
                    }
                    user.principal.claims.write(to: object.member("claims"))
                    object.member("expires").string(
                        Timestamp(seconds: expires, nanoseconds: 0).description)
                } else if let token {
                    object.member("token").string(token.name)
                    token.writeTerms(to: &object)
                } else {
                    object.member("right").string(Right.admin.rawValue)
                }
                if let roles { object.member("roles").strings(roles) }
            }
        }
        guard access.hasDocument, let principal = principal(of: request) else {
            return .respond(response(nil))
        }
        return answerFromJob { job throws(RequestFault) in
            // Rules read the whole store, and may take as long as a query.
            try self.served.withRead(for: .program, in: job) { read throws(RequestFault) in
                try self.access.view(for: principal, on: read.unrestricted)?.roles.map(\.name)
            }.map(response)
        }
    }
}
