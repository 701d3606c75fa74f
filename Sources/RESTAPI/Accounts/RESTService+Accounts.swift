import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

// Shared parts of the operations on accounts and sessions.
extension RESTService {
    /// Stores what a hash was made for, and makes the reply.
    typealias Storing = @Sendable () throws(RequestFault) -> Response

    /// Answers with a reply that is made on a thread that hashes passwords, and stored by a thread of the scheduler, so that hashes don't wait for
    /// the disk.
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
                    } catch {
                        exchange.respond(self.response(error))
                    }
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
    func hash(
        _ password: String, _ worker: PasswordWorker
    ) throws(RequestFault) -> String {
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
        _ request: Request, _ names: [String], isNew: Bool = false
    ) throws(RequestFault) -> [String] {
        try AccountBody.texts(json(request), names, isNew: isNew)
    }

    /// The subject that a try of the requesting client counts for.
    func tried(
        _ request: Request, login: String? = nil, isCountedAlways: Bool = false
    ) -> SignInTries.Subject {
        SignInTries.Subject(
            login: login, address: ClientKey(address: request.client),
            isCountedAlways: isCountedAlways)
    }

    /// The session that asks.
    ///
    /// - Throws: ``RequestFault`` `.forbidden` for a client who has not signed in with an account.
    func signedInSession(_ request: Request) throws(RequestFault) -> SignedInSession {
        guard let session = request.user?.session else {
            throw RequestFault(
                .forbidden, "not-allowed",
                "This operation is for users who have signed in with an account (POST /v1/sessions)."
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
