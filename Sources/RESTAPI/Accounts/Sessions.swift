import Glibc
import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService
import Synchronization

/// The sessions that ask, with the grant of their requests. Thread-safe.
///
/// A session is read from the store when it asks for the first time, and then found by the hash of its token, until
/// nothing that it has begun goes on and many others have come.
final class AccountSessions: Sendable {
    fileprivate struct Known {
        let account: UUID128
        var grant: Grant
        /// When it was used last, in seconds since 1970, as it was noted.
        var used: Int64
    }

    fileprivate struct State {
        var known: [TokenHash: Known] = [:]
        /// The uses that are to be noted.
        var uses: [TokenHash: (account: UUID128, seconds: Int64)] = [:]
        /// The number of sessions at which inactive sessions are removed.
        var sweepCount = 1024
        /// How often sessions have ended.
        var endCount = 0
    }

    private let accounts: StoredAccounts
    private let state = Mutex(State())

    init(_ accounts: StoredAccounts) { self.accounts = accounts }

    /// Returns the grant of the session of a token. Cost: a hash of it, and look-ups in the store for an unknown session.
    ///
    /// - `make`: Makes the grant of a session that is not known.
    /// - Throws: ``RequestFault`` `.unauthenticated` if the session does not exist or has ended.
    func grant(
        _ token: UnsafeRawBufferPointer, at now: Int64 = Int64(time(nil)),
        _ make: (Session, TokenHash) throws(RequestFault) -> Grant
    ) throws(RequestFault) -> Grant {
        guard let hash = TokenHash(of: token) else { throw Self.unknown }
        while true {
            let (known, endCount) = state.withLock { ($0.use(hash, at: now), $0.endCount) }
            if let known { return known }
            guard let secret = AccountSecret(.session, stated: token),
                let session = try accounts.session(secret, at: now)
            else { throw Self.unknown }
            let grant = try make(session, hash)
            let isKept = state.withLock { state in
                // One that has ended since it was read is not there any more.
                guard state.endCount == endCount else { return false }
                if state.known[hash] != nil { return false }
                if state.known.count >= state.sweepCount { state.sweep() }
                // As it was noted: the next use of one that was not for long notes it.
                state.known[hash] = Known(
                    account: session.account.id, grant: grant, used: session.used)
                return true
            }
            if isKept { return grant }
        }
    }

    /// Ends running requests of an account's sessions, once the sessions are removed from the store.
    ///
    /// - `kept`: The hash of the session that continues; nil without one.
    func endAll(of account: UUID128, but kept: TokenHash? = nil) {
        state.withLock { state in
            state.endCount += 1
            for (hash, known) in state.known where known.account == account && hash != kept {
                state.end(hash)
            }
        }
    }

    /// Ends running requests of a session, once it is removed from the store.
    func end(_ session: TokenHash) { state.withLock { $0.end(session) } }

    /// Notes in the store which sessions were used, if any; waits until that is durable.
    ///
    /// - Throws: ``RequestFault`` when it can't be noted; then it is noted with the next uses.
    func noteUses() throws(RequestFault) {
        let uses = state.withLock { state in
            defer { state.uses = [:] }
            return state.uses
        }
        guard !uses.isEmpty else { return }
        do throws(RequestFault) { try accounts.note(uses) } catch {
            state.withLock { $0.uses.merge(uses) { now, _ in now } }
            throw error
        }
    }

    /// Whether uses are to be noted. Cost: a lock.
    var hasUses: Bool { state.withLock { !$0.uses.isEmpty } }

    private static let unknown = RequestFault(
        .unauthenticated, "token-invalid",
        "The session is unknown, or has ended: sign in again with POST /v1/sessions.")
}

extension AccountSessions.State {
    /// The grant of a session that is known and has not ended; notes that it is used.
    fileprivate mutating func use(_ session: TokenHash, at now: Int64) -> Grant? {
        guard var known = known[session] else { return nil }
        if known.grant.ending != nil {
            // If the session continues, another grant replaces this one: running requests of this grant end for good.
            known.grant.end(Grant.End.revoked)
            self.known[session] = nil
            return nil
        }
        if now - known.used >= Session.noteInterval {
            known.used = now
            known.grant.extend(until: now + Session.lifetime)
            self.known[session] = known
            uses[session] = (known.account, now)
        }
        return known.grant
    }

    fileprivate mutating func end(_ session: TokenHash) {
        endCount += 1
        guard let known = known.removeValue(forKey: session) else { return }
        known.grant.end(Grant.End.revoked)
        uses[session] = nil
    }

    /// Removes sessions with a grant that has no other reference.
    fileprivate mutating func sweep() {
        var kept: [TokenHash: AccountSessions.Known] = [:]
        for hash in Array(known.keys) {
            guard var session = known.removeValue(forKey: hash) else { continue }
            if !isKnownUniquelyReferenced(&session.grant) { kept[hash] = session }
        }
        known = kept
        sweepCount = max(1024, 2 * known.count)
    }
}

extension RESTService {
    /// `POST /v1/sessions`: signs in with a login and a password. The same work is done for a login that has no account.
    func createSession(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let texts = try accountTexts(request, [AccountBody.login, AccountBody.password])
        return try answerHashing(request, tried(request, login: texts[0])) {
            worker throws(RequestFault) in
            let found = try self.accounts.account(login: texts[0])
            guard try self.isRight(texts[1], for: found?.passwordHash, worker), let found,
                !(self.users?.isBarred(found.account.id.description) ?? false)
            else { throw .signInRefused }
            return { () throws(RequestFault) in
                let secret = try AccountSecret(.session, of: found.account.id)
                let session = try self.accounts.begin(secret, after: found.passwordHash) {
                    self.users?.sessions.end($0)
                }
                return Response.object(201) { object in
                    object.member("token").string(secret.text)
                    object.member("user").string(session.account.id.description)
                    object.member("expires").string(
                        Timestamp(seconds: session.end, nanoseconds: 0).description)
                }.with(.cacheControl, "no-store")
            }
        }
    }

    /// `DELETE /v1/sessions/current`: signs out. Running requests of the session end.
    func deleteSession(_ request: Request) throws(RequestFault) -> Outcome {
        let session = try signedInSession(request)
        return answerScheduled { () throws(RequestFault) in
            try self.accounts.end(session.hash, of: session.account.id)
            self.users?.sessions.end(session.hash)
            return Response(204)
        }
    }

    /// `DELETE /v1/sessions`: signs out everywhere. Running requests of the account's sessions end.
    func deleteSessions(_ request: Request) throws(RequestFault) -> Outcome {
        let session = try signedInSession(request)
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            try self.accounts.endSessions(of: session.account.id)
            self.users?.sessions.endAll(of: session.account.id)
            audit.write(account: session.account.id.description)
            return Response(204)
        }
    }
}
