import HoldfastAccess
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastStoreService

// Shared parts of the operations on accounts and sessions.
extension RESTService {
    /// Stores the change for which a password was hashed, and makes the reply.
    typealias Storing = @Sendable () throws(RequestFault) -> Response

    /// Answers with a reply that is made on a thread that hashes passwords, and stored by a thread of the scheduler,
    /// so that hashes don't wait for the disk.
    ///
    /// - Parameters:
    ///   - request: The request. The work is queued by its network.
    ///   - tries: The subject that the try counts for; nil if it does not count.
    ///   - body: Returns the write to be stored, and throws if the try failed.
    /// - Returns: The outcome of the handler.
    /// - Throws: ``RequestFault`` `.tooOften` after too many tries.
    func answerHashing(
        _ request: Request, _ tries: SignInTries.Subject?,
        _ body: @escaping @Sendable (PasswordWorker) throws(RequestFault) -> Storing
    ) throws(RequestFault) -> Outcome {
        if let tries { try self.tries.check(tries) }
        let network = ClientKey(networkOf: request.client)
        return .later { exchange in
            let refuse = { @Sendable in _ = exchange.respond(self.response(.tooBusy)) }
            self.passwords.submit(
                PasswordHasher.Work(from: network, refuse: refuse) { worker in
                    // A hash for a client that has left would keep others waiting.
                    guard !exchange.isGone else { return exchange.abandon() }
                    do throws(RequestFault) {
                        let store = try self.attempt(tries) { () throws(RequestFault) in
                            try body(worker)
                        }
                        self.schedule(for: exchange) { _ in
                            guard !exchange.isGone else { return exchange.abandon() }
                            exchange.respond(self.replying(to: exchange.request.grant, store))
                        }
                    } catch { exchange.respond(self.response(error)) }
                })
        }
    }

    private func attempt<Result>(
        _ subject: SignInTries.Subject?, _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        guard let subject else { return try body() }
        return try tries.run(subject, body)
    }

    /// Hashes a password that is to be an account's.
    func hash(_ password: String, _ worker: PasswordWorker) throws(RequestFault) -> String {
        guard let hash = worker.hash(AccountText.stored(password)) else { throw .noMemoryToHash }
        return hash
    }

    /// Whether a password, in any form of its letters, matches a hash; see ``PasswordWorker/isRight(_:for:)``.
    func isRight(
        _ password: String, for hash: String?, _ worker: PasswordWorker
    ) throws(RequestFault) -> Bool {
        for form in AccountText.forms(password) {
            guard let isRight = worker.isRight(form, for: hash) else { throw .noMemoryToHash }
            if isRight { return true }
        }
        return false
    }

    /// Reads the texts of a body that concerns accounts.
    func accountTexts(
        _ request: Request, _ names: [String]
    ) throws(RequestFault) -> [String] {
        try AccountBody.texts(json(request), names)
    }

    /// The subject that a try of the requesting client counts for.
    func tried(
        _ request: Request, login: String? = nil, isCountedAlways: Bool = false
    ) -> SignInTries.Subject {
        SignInTries.Subject(
            login: login, address: ClientKey(address: request.client),
            isCountedAlways: isCountedAlways)
    }

    /// The session of the request.
    ///
    /// - Throws: ``RequestFault`` `.forbidden` for a client that has not signed in with an account.
    func signedInSession(_ request: Request) throws(RequestFault) -> SignedInSession {
        guard let session = request.user?.session else {
            throw RequestFault(
                .forbidden, "not-allowed",
                "This operation is for users that have signed in with an account (POST /v1/sessions)."
            )
        }
        return session
    }

    /// Has a thread of the scheduler note which sessions were used. Call it once a second.
    func noteSessionUses(at seconds: UInt64) {
        // Once a minute, so that many sessions share a commit.
        guard seconds % 60 == 0, let sessions = users?.sessions, sessions.hasUses else { return }
        _ = served.scheduler.submit(
            Job(Caller.program.client) { _ in
                // A failure is logged with the store's, and they are noted with the next.
                try? sessions.noteUses()
            })
    }
}

extension RequestFault {
    fileprivate static let noMemoryToHash = RequestFault(
        .unavailable, "busy", "There is no memory to hash a password; try again.",
        retryAfterSeconds: 1)
}

extension RESTService {
    /// `POST /v1/accounts`: makes an account, for an admin, and for anybody where the access document says so.
    func createAccount(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        var tries: SignInTries.Subject?
        if !isAdmin(request) {
            try requireSignUp(request)
            // They don't count less when they succeed: an account costs more than a session.
            tries = tried(request, isCountedAlways: true)
        }
        let body = try json(request)
        let texts = try AccountBody.texts(
            body, [AccountBody.login, AccountBody.password], isNew: true)
        let hasObject = body.member(named: AccountBody.object) != nil
        let audit = auditLine(request)
        return try answerHashing(request, tries) { worker throws(RequestFault) in
            let new = NewAccount(login: texts[0], passwordHash: try self.hash(texts[1], worker))
            return { () throws(RequestFault) in
                let account = try self.storing { () throws(RequestFault) in
                    guard hasObject else { return try self.accounts.create(new) }
                    return try self.createWithObject(new, request)
                }
                audit.write(account: account.id.description)
                return Response.object(201) { account.write(to: &$0) }.with(
                    .location, "/v1/accounts/\(account.id)")
            }
        }
    }

    /// Makes an account and the object of its user as one transaction of that user, and waits for it.
    private func createWithObject(
        _ new: NewAccount, _ request: Request
    ) throws(RequestFault) -> Account {
        let principal = Principal(user: new.account.id.description)
        let user = Caller(
            token: principal.number(store.ticketKey), address: request.client,
            visibility: PrincipalVisibility(access, principal))
        let write = try ServedWrite(
            SignUp(new, request.bodyBytes, by: access, for: user, in: served),
            waiter: WaitingThread(), in: served)
        write.start()
        write.waiter.wait()
        defer { write.end() }
        _ = try write.answer()
        return new.account
    }

    /// Whether a request has a token of the store with every right, or no token is needed.
    private func isAdmin(_ request: Request) -> Bool {
        guard request.grant != nil, request.user == nil else { return !needsToken }
        return !access.hasDocument || principal(of: request) == nil
    }

    private func requireSignUp(_ request: Request) throws(RequestFault) {
        if access.allowsSignUp { return }
        guard request.grant == nil else {
            throw RequestFault(
                .forbidden, "not-allowed",
                "Accounts are made by admins: the access document does not say 'signUp'.")
        }
        throw RequestFault(
            .unauthenticated, "token-missing",
            "Accounts are made with a token of the right 'admin': the access document does not say 'signUp'."
        )
    }

    /// Stores a change after which requests may need a token for the first time.
    private func storing<Result>(
        _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        guard let tokens, !tokens.isEnforced else { return try body() }
        return try tokens.change { _ throws(RequestFault) in try body() }
    }

    /// `GET /v1/accounts`: the accounts by their logins, page by page, or that of a login.
    func listAccounts(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let limits = served.limits
        let limit = try request.count("limit") ?? limits.pageObjectCountDefault
        guard (1...limits.pageObjectCountMax).contains(limit) else {
            throw .single(
                .malformed, "limit-out-of-range",
                "'limit' is a number from 1 to \(limits.pageObjectCountMax).", parameter: "limit")
        }
        let login = request[query: "login"]?.string
        let last = request[query: "cursor"]?.string ?? ""
        return answerScheduled { () throws(RequestFault) in
            var found: [Account]
            if let login {
                found = try self.accounts.account(login: login).map { [$0.account] } ?? []
            } else {
                found = try self.accounts.accounts(after: last, countMax: limit + 1)
            }
            let hasMore = found.count > limit
            if hasMore { found.removeLast() }
            return Response.object(200) { [found] object in
                object.member("accounts").objects(of: found) { $0.write(to: &$1) }
                if hasMore, let last = found.last { object.member("next").string(last.login) }
            }
        }
    }

    /// `GET /v1/accounts/{id}`: an account.
    func getAccount(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let id = request.parameter(0).string
        return answerScheduled { () throws(RequestFault) in
            let account = try self.accounts.account(id)
            return Response.object(200) { account.write(to: &$0) }
        }
    }

    /// `DELETE /v1/accounts/{id}`: removes an account. Running requests of its sessions end.
    func deleteAccount(_ request: Request) throws(RequestFault) -> Outcome {
        let id = request.parameter(0).string
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            let account = try self.accounts.account(id).id
            try self.accounts.delete(account)
            self.users?.sessions.endAll(of: account)
            audit.write()
            return Response(204)
        }
    }

    /// `PUT /v1/me/password`: gives the account of the session another password. Its other sessions end.
    func changePassword(_ request: Request) throws(RequestFault) -> Outcome {
        let session = try signedInSession(request)
        let texts = try accountTexts(request, [AccountBody.password, AccountBody.newPassword])
        let tries = tried(request, login: session.account.login)
        let audit = auditLine(request)
        let account = session.account.id
        return try answerHashing(request, tries) { worker throws(RequestFault) in
            let former = try self.accounts.passwordHash(account.description)
            guard try self.isRight(texts[0], for: former, worker) else { throw .passwordWrong }
            let hash = try self.hash(texts[1], worker)
            return { () throws(RequestFault) in
                try self.accounts.setPassword(
                    hash, of: account, after: former, keeping: session.hash)
                self.users?.sessions.endAll(of: account, but: session.hash)
                audit.write(account: account.description)
                return Response(204)
            }
        }
    }

    /// `POST /v1/accounts/{id}/reset-code`: a code that resets the password of an account once, for the application to deliver.
    func createResetCode(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let id = request.parameter(0).string
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            let account = try self.accounts.account(id).id
            let (code, end) = try self.accounts.makeResetCode(of: account)
            audit.write()
            return Response.object(201) { object in
                object.member("code").string(code.text)
                object.member("expires").string(end.description)
            }.with(.cacheControl, "no-store")
        }
    }

    /// `POST /v1/password-resets`: gives the account of a one-time code another password.
    func resetPassword(_ request: Request) throws(RequestFault) -> Outcome {
        let texts = try accountTexts(request, [AccountBody.code, AccountBody.newPassword])
        let stated = Array(texts[0].utf8).withUnsafeBytes { AccountSecret(.resetCode, stated: $0) }
        let audit = auditLine(request)
        return try answerHashing(request, tried(request)) { worker throws(RequestFault) in
            guard let code = stated else { throw .resetCodeInvalid }
            // A code of no account costs no hash.
            let account = try self.accounts.account(resetBy: code)
            let hash = try self.hash(texts[1], worker)
            return { () throws(RequestFault) in
                try self.accounts.reset(by: code, to: hash)
                self.users?.sessions.endAll(of: account.id)
                self.tries.forget(login: account.login)
                audit.write(account: account.id.description)
                return Response(204)
            }
        }
    }
}
