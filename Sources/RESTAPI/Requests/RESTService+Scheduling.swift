import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

// Work that may take long: it is handed to the scheduler, so that the threads of connections never wait.
extension RESTService {
    /// Whose work a request is: its token's, where tokens are needed, else its address's.
    func clientKey(_ request: Request) -> ClientKey {
        tokenKey(request) ?? ClientKey(address: request.client)
    }

    /// Whose token a request has, or its ticket was made with, where tokens are needed.
    func tokenKey(_ request: Request) -> ClientKey? {
        guard let owner = request.grant?.owner, owner != 0 else { return nil }
        return ClientKey(token: owner)
    }

    /// Has a thread of the scheduler give back the memory that long work has freed. Call it once a second.
    func giveBackMemory() {
        let scheduler = served.scheduler
        guard scheduler.hasMemoryToGiveBack else { return }
        _ = scheduler.submit(Job(ClientKey(address: "")) { _ in scheduler.giveBackMemory() })
    }

    /// Hands work for an exchange to the scheduler; 503 when too much waits there.
    func schedule(
        for exchange: Exchange, expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable (Job) -> Void
    ) {
        if !isScheduled(for: exchange, expecting: expectation, body) {
            exchange.respond(response(.tooBusy))
        }
    }

    /// Hands work for an exchange to the scheduler; false when too much waits there.
    func isScheduled(
        for exchange: Exchange, expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable (Job) -> Void
    ) -> Bool {
        served.scheduler.submit(
            Job(
                clientKey(exchange.request), expecting: expectation,
                until: exchange.startedAtMilliseconds + UInt64(served.limits.readSecondsMax) * 1000,
                isAwaited: { !exchange.isGone }, body))
    }

    /// Answers from a thread of the scheduler.
    func answerScheduled(
        expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable () throws(RequestFault) -> Response
    ) -> Outcome {
        .later { exchange in
            self.schedule(for: exchange, expecting: expectation) { _ in
                guard !exchange.isGone else { return exchange.abandon() }
                exchange.respond(self.replying(body))
            }
        }
    }

    /// Hands the work for an exchange whose outcome is decided there to the scheduler.
    func decide(
        for exchange: Exchange, expecting expectation: Job.Expectation = .short,
        _ body: @escaping @Sendable () throws(RequestFault) -> Outcome
    ) {
        schedule(for: exchange, expecting: expectation) { job in
            // A thread that has nothing to do does not keep what a large body was parsed to.
            defer { RequestScratch.current.parser.giveBack() }
            // The bytes of the request are there only as long as somebody waits.
            guard !exchange.isGone else { return exchange.abandon() }
            let reading = RequestScratch.current.reader.budget
            reading.turn = job
            defer { reading.turn = nil }
            do throws(RequestFault) {
                switch try body() {
                case .respond(let response): exchange.respond(response)
                case .later(let hand): hand(exchange)
                }
            } catch {
                if job.isRestarted { return }
                if job.mustNotAnswer { return exchange.abandon() }
                exchange.respond(self.response(error))
            }
        }
    }

    /// Answers from a thread of the scheduler with what is read in a view of a pinned version or of the last commit.
    ///
    /// - `body`: May run more than once.
    func answerReading(
        of pin: SnapshotPin? = nil,
        _ body: @escaping @Sendable (ReadTransaction) throws(RequestFault) -> Response
    ) -> Outcome {
        .later { exchange in
            self.schedule(for: exchange) { job in
                self.answer(exchange, in: job) { () throws(RequestFault) in
                    try self.served.withRead(in: job, of: pin, body)
                }
            }
        }
    }

    /// Answers an exchange with what a job makes, unless the job begins again. A client that leaves ends it.
    func answer(_ exchange: Exchange, in job: Job, _ body: () throws(RequestFault) -> Response) {
        // It may have left while the job waited.
        guard !job.isAbandoned else { return exchange.abandon() }
        let response = replying(body)
        if job.isRestarted { return }
        if job.mustNotAnswer { return exchange.abandon() }
        exchange.respond(response)
    }
}
