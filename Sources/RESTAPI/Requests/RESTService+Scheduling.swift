import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import Synchronization

// Work that may take long: it is handed to the scheduler, so that the threads of connections never wait.
extension RESTService {
    /// The caller of a request: known by its token, or the one that its ticket was made with, where tokens are
    /// needed; where there is an access document, a user by their id. A token for some classes is limited to them.
    func caller(_ request: Request) -> Caller {
        guard let grant = request.grant else { return Caller(token: nil, address: request.client) }
        let principal = access.hasDocument ? principal(of: grant) : nil
        var owner = grant.owner
        // A user is the same with each token. Grants for issuers' tokens state the user themselves.
        if let principal, !(grant.bearer is SignedInUser) {
            owner = principal.number(store.ticketKey) ?? 0
        }
        return Caller(
            token: owner == 0 ? nil : owner, address: request.client,
            visibility: (principal ?? limitedToken(of: grant)).map {
                PrincipalVisibility(access, $0)
            })
    }

    /// Returns the memory that long work and closed connections have freed to the system, on a thread of the
    /// scheduler. Call it once a second.
    func giveBackMemory() {
        let scheduler = served.scheduler
        if let metrics = serverMetrics.withLock({ $0 }),
            closedConnections.withLock({
                $0.note(openCount: metrics.connections.load(ordering: .relaxed))
            })
        {
            scheduler.noteFreedMemory()
        }
        guard scheduler.hasMemoryToGiveBack else { return }
        _ = scheduler.submit(Job(Caller.program.client) { _ in scheduler.giveBackMemory() })
    }

    /// The client with limits of its own for streams and queries: a user, or an anonymous visitor by address. Nil for a token of
    /// the store, and if no token is needed.
    func boundedUser(_ request: Request) -> ClientKey? {
        let isBounded = principal(of: request) != nil || (request.grant == nil && needsToken)
        return isBounded ? caller(request).client : nil
    }

    /// Hands work for an exchange to the scheduler; answers it when too much waits there, or too much of the user's.
    func schedule(
        for exchange: Exchange, expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable (Job) -> Void
    ) {
        do throws(RequestFault) {
            try submit(for: exchange, expecting: expectation, body)
        } catch {
            exchange.respond(response(error, to: exchange.request.grant))
        }
    }

    /// Hands work for an exchange to the scheduler.
    ///
    /// - Throws: ``RequestFault`` `.unavailable` when too much waits there, `.tooOften` when too much of the user's
    ///   runs or waits.
    func submit(
        for exchange: Exchange, expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable (Job) -> Void
    ) throws(RequestFault) {
        let user = boundedUser(exchange.request)
        let slot = try user.map { user throws(RequestFault) in
            try userQueries.take(for: user) { _ in .tooManyQueries(options.userQueryCountMax) }
        }
        let isTaken = served.scheduler.submit(
            Job(
                user ?? caller(exchange.request).client, expecting: expectation,
                until: exchange.startedAtMilliseconds + UInt64(served.limits.readSecondsMax) * 1000,
                isAwaited: { !exchange.isGone }
            ) { [slot] job in withExtendedLifetime(slot) { body(job) } })
        if !isTaken { throw .tooBusy }
    }

    /// Answers from a thread of the scheduler.
    func answerScheduled(
        expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable () throws(RequestFault) -> Response
    ) -> Outcome {
        answerFromJob(expecting: expectation) { job throws(RequestFault) in
            job.isAbandoned ? .gone : try job.attemptOnce(self.served.limits, body)
        }
    }

    /// Answers with the outcome of a job's step.
    func answerFromJob(
        expecting expectation: Job.Expectation = .short,
        _ step: @escaping @Sendable (Job) throws(RequestFault) -> JobOutcome<Response>
    ) -> Outcome {
        .later { exchange in
            self.schedule(for: exchange, expecting: expectation) { job in
                self.answer(exchange) { () throws(RequestFault) in
                    try step(job).map { .respond($0) }
                }
            }
        }
    }

    /// Gives the work that decides the outcome of an exchange to the scheduler.
    func scheduleOutcome(
        for exchange: Exchange, expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable () throws(RequestFault) -> Outcome
    ) {
        schedule(for: exchange, expecting: expectation) { job in
            // An idle thread does not keep the parsed form of a large body.
            defer { RequestScratch.current.parser.giveBack() }
            // The bytes of the request exist only as long as its client waits.
            guard !exchange.isGone else { return exchange.abandon() }
            self.answer(exchange) { () throws(RequestFault) in
                try job.attemptOnce(self.served.limits, body)
            }
        }
    }

    /// Answers an exchange with the outcome of a job's step; a job that begins again is not over.
    private func answer(
        _ exchange: Exchange, _ step: () throws(RequestFault) -> JobOutcome<Outcome>
    ) {
        do throws(RequestFault) {
            switch try step() {
            case .reply(.respond(let response)): exchange.respond(response)
            case .reply(.later(let hand)): hand(exchange)
            case .again: return
            case .gone: exchange.abandon()
            }
        } catch { exchange.respond(response(error, to: exchange.request.grant)) }
    }
}

extension RequestFault {
    static func tooManyQueries(_ countMax: Int) -> RequestFault {
        RequestFault(
            .tooOften, "too-many-queries",
            "\(countMax) requests of this user run or wait, the most allowed (--max-user-queries).",
            retryAfterSeconds: 1)
    }
}

extension RequestScratch {
    /// The bytes of ``reply``, which is empty afterwards.
    func takeReply() -> Bytes {
        if reply.count <= Self.copiedByteCountMax {
            let bytes = Bytes(copying: reply.bytes)
            reply.removeAll()
            return bytes
        }
        return Bytes(taking: reply)
    }
}
