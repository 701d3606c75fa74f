import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

// Shared parts of the operations on accounts and sessions.
extension RESTService {
    /// Stores what a hash was made for, and makes the reply.
    typealias Storing = @Sendable () throws(RequestFault) -> Response

    /// Answers with what is made on a thread that hashes passwords, and stored by one of the scheduler, so that hashes don't wait for
    /// the disk.
    ///
    /// - `attempt`: The try that it is, which does not count where nothing is compared.
    func answerHashing(
        _ attempt: SignInTries.Attempt? = nil,
        _ body: @escaping @Sendable (PasswordWorker) throws(RequestFault) -> Storing
    ) -> Outcome {
        .later { exchange in
            let isTaken = self.passwords.submit { worker in
                // A hash for nobody would keep others waiting.
                guard !exchange.isGone else {
                    if let attempt { self.tries.giveBack(attempt) }
                    return exchange.abandon()
                }
                do throws(RequestFault) {
                    let store = try body(worker)
                    self.schedule(for: exchange) { _ in
                        guard !exchange.isGone else { return exchange.abandon() }
                        exchange.respond(self.replying(to: exchange.request.grant, store))
                    }
                } catch {
                    if let attempt, error.kind == .unavailable { self.tries.giveBack(attempt) }
                    exchange.respond(self.response(error))
                }
            }
            if isTaken { return }
            if let attempt { self.tries.giveBack(attempt) }
            exchange.respond(self.response(.tooBusy))
        }
    }

    /// Hashes a password that is to be an account's.
    func hash(
        _ password: String, _ worker: PasswordWorker
    ) throws(RequestFault) -> String {
        guard let hash = worker.hash(password) else { throw .noMemoryToHash }
        return hash
    }

    /// Whether a password is that of a hash; as ``PasswordWorker/isRight(_:for:)``.
    func isRight(
        _ password: String, for hash: String?, _ worker: PasswordWorker
    ) throws(RequestFault) -> Bool {
        guard let isRight = worker.isRight(password, for: hash) else { throw .noMemoryToHash }
        return isRight
    }

    /// Reads the texts of a body that concerns accounts.
    func accountTexts(
        _ request: Request, _ names: [String], isNew: Bool = false
    ) throws(RequestFault) -> [String] {
        try AccountBody.texts(json(request), names, isNew: isNew)
    }

    /// Counts a try of the asking client.
    func beginTry(
        _ request: Request, login: String? = nil
    ) throws(RequestFault) -> SignInTries.Attempt {
        try tries.begin(login: login, address: ClientKey(address: request.client))
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
