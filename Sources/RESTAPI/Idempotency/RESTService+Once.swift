import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

/// What becomes of a write before its commit.
enum Attempted<Result: Sendable>: Sendable {
    /// It was made.
    case made(Result)
    /// It is taken back, and the client is told why.
    case refused(RequestFault)
}

/// A write of a request: what it does, and the reply to it.
struct RequestedWrite<Result: Sendable>: Sendable {
    /// Makes the changes. Writer's thread; may run more than once.
    var run: @Sendable (WriteTransaction) throws(StoreError) -> Attempted<Result>
    /// Makes the reply; links lead to what the view shows, or to the last commit.
    var reply:
        @Sendable (Result, _ version: StoreVersion, _ view: ReadTransaction?) throws(RequestFault)
            ->
            Response
    /// What the client is told when the write failed.
    var problem: @Sendable (StoreError) -> RequestFault
    /// Whether making the reply holds up a connection's thread.
    var isLong: @Sendable (Result) -> Bool
}

extension RESTService {
    /// Reads a body and what follows: at once, or on the scheduler's when the body is large.
    func reading(
        _ request: Request, _ body: @escaping @Sendable () throws(RequestFault) -> Outcome
    ) -> Outcome {
        guard request.body.count > Self.inlineBodyByteCountMax else { return answering(body) }
        return .later { exchange in
            self.decide(for: exchange, expecting: .long) { self.answering(body) }
        }
    }

    /// Runs `body` for a request whose `Idempotency-Key`, if it has one, was not used before; answers a
    /// repeat with the first reply.
    ///
    /// - Throws: ``RequestFault`` `.conflict` while the first request runs, `.invalid` when the key was used for another one,
    ///   and what `body` throws.
    func once(
        _ request: Request, _ body: (IdempotencyClaim?) throws(RequestFault) -> Outcome
    ) throws(RequestFault) -> Outcome {
        guard request.method == .post || request.method == .patch else { return try body(nil) }
        let scope = tokens?.isEnforced ?? false ? request.header(.authorization) : nil
        guard let key = try IdempotencyKey(request, scope: scope) else { return try body(nil) }
        guard let claim = idempotency.claim(key) else { throw .idempotencyKeyInUse }
        // The first request has let go of the key only after its commit, so that its reply is seen here.
        let kept = try served.stored { () throws(StoreError) in try store.keptReply(key.id) }
        if let kept { return .respond(try KeptResponse.response(kept.payload, to: key)) }
        return try body(claim)
    }

    /// Hands in a write and answers it when it is durable. With a claim the reply is made inside the
    /// transaction and stored with it.
    func handIn<Result: Sendable>(
        _ write: RequestedWrite<Result>, _ exchange: Exchange, _ claim: IdempotencyClaim?
    ) {
        if let claim { return handIn(write, exchange, once: claim) }
        let refusal = Refusal()
        let body: @Sendable (WriteTransaction) throws(StoreError) -> Result = {
            transaction throws(StoreError) in try refusal.run(write, transaction)
        }
        store.submit(
            Write(body) { outcome in
                switch outcome {
                case .failure(let error):
                    let problem = refusal.problem ?? write.problem(error)
                    exchange.respond { self.response(problem) }
                case .success(let committed):
                    let make: @Sendable () -> Response = {
                        self.replying { () throws(RequestFault) in
                            try write.reply(committed.result, committed.version, nil)
                        }
                    }
                    if write.isLong(committed.result),
                        self.isScheduled(
                            for: exchange, expecting: .long, { _ in exchange.respond(make()) })
                    {
                        return
                    }
                    exchange.respond(make)
                }
            })
    }

    private func handIn<Result: Sendable>(
        _ write: RequestedWrite<Result>, _ exchange: Exchange, once claim: IdempotencyClaim
    ) {
        let refusal = Refusal()
        let body: @Sendable (WriteTransaction) throws(StoreError) -> Response = {
            transaction throws(StoreError) in
            if let kept = try transaction.keptReply(claim.key.id) {
                // Another server of the same store was faster.
                return self.replying { () throws(RequestFault) in
                    try KeptResponse.response(kept.payload, to: claim.key)
                }
            }
            let result = try refusal.run(write, transaction)
            let response = try self.reply(in: transaction) { view throws(RequestFault) in
                try write.reply(result, transaction.resultingVersion, view)
            }
            try transaction.keepReply(
                KeptResponse.encode(response, to: claim.key), as: claim.key.id)
            return response
        }
        store.submit(
            Write(body) { outcome in
                claim.release()
                switch outcome {
                case .failure(let error):
                    let problem = refusal.problem ?? write.problem(error)
                    exchange.respond { self.response(problem) }
                case .success(let committed): exchange.respond(committed.result)
                }
            })
    }

    /// Makes the reply to a write that is not committed yet.
    func reply(
        in transaction: WriteTransaction,
        _ make: (ReadTransaction) throws(RequestFault) -> Response
    ) throws(StoreError) -> Response {
        let view = transaction.view()
        let response: Response
        do throws(RequestFault) {
            response = try make(view)
        } catch {
            // The write goes back with its reply, whatever is wrong with that.
            try view.checkFailure()
            throw .tooLarge(detail: error.detail)
        }
        try view.checkFailure()
        return response
    }
}

/// Carries a problem past the store, which knows none.
private final class Refusal: @unchecked Sendable {
    // Unchecked: the writer's thread alone uses it.
    private(set) var problem: RequestFault?

    /// Runs a write; one that is refused is taken back.
    func run<Result: Sendable>(
        _ write: RequestedWrite<Result>, _ transaction: WriteTransaction
    ) throws(StoreError) -> Result {
        problem = nil
        switch try write.run(transaction) {
        case .made(let result): return result
        case .refused(let problem):
            self.problem = problem
            throw .abandoned
        }
    }
}
