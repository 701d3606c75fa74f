import ObjectJSON
import ObjectStore
import Rows

/// A queued write, from the thread of its request to the writer's and back.
///
/// It is the write itself, what makes its reply, and the hold on its idempotency key, so that nothing else has to
/// be allocated on one thread and freed on another.
package final class ServedWrite<Body: WriteBody, Caller: WriteCaller>: PendingWrite,
    @unchecked Sendable
{
    // Unchecked: one thread at a time has it. The caller's thread makes it and hands it in; from then until
    // `finish` the writer's thread alone uses it, which hands it to the thread that makes the reply.

    /// The answer to send.
    package enum Answer {
        /// The write was made.
        case reply(WriteReply)
        /// The reply that is stored in an idempotency record; whether it is that of an earlier request.
        case recorded([UInt8], isRepeat: Bool)
    }

    private let served: ServedStore
    private let claim: IdempotencyClaim?
    private var body: Body
    /// Who waits.
    package var caller: Caller
    private var schema: RowSchema
    /// The record of the reply, and whether it was there before.
    private var record: (bytes: [UInt8], isRepeat: Bool)?
    private var version = StoreVersion(epoch: 0, number: 0)
    private var error: StoreError?
    /// Whether so much memory is freed at its end that it is worth giving back.
    private let isLarge: Bool

    /// The least number of drafts of a large write.
    private static var largeDraftCount: Int { 10_000 }

    /// Reads the request.
    ///
    /// - `claim`: Of a request with an idempotency key.
    /// - Throws: ``RequestFault`` with every fault of the request.
    package init(
        _ body: Body, for caller: Caller, _ claim: IdempotencyClaim? = nil, in served: ServedStore
    ) throws(RequestFault) {
        self.served = served
        self.claim = claim
        self.body = body
        self.caller = caller
        schema = served.store.catalog.rows
        let scratch = RequestScratch.current
        do throws(RequestFault) {
            try self.body.read(schema, scratch, served)
        } catch {
            self.body.end(scratch)
            throw error
        }
        isLarge = scratch.reader.draftCount > Self.largeDraftCount
    }

    /// Changes what is to be done, before the write is handed in.
    package func amend(
        _ change: (inout Body) throws(RequestFault) -> Void
    ) throws(RequestFault) {
        try change(&body)
    }

    /// Hands the write in; the caller is notified when it is durable.
    package func start() { served.store.submit(self) }

    /// Gives up a write that is not handed in, so that the request can be repeated.
    package func abandon() { claim?.release() }

    // MARK: The writer's thread

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        version.epoch = transaction.epoch
        record = nil
        if transaction.catalog.rows !== schema { try prepareAgain(transaction) }
        guard let claim else { return try body.run(transaction) }
        try run(transaction, claim)
    }

    private func prepareAgain(_ transaction: WriteTransaction) throws(StoreError) {
        schema = transaction.catalog.rows
        let scratch = RequestScratch.current
        do throws(RequestFault) {
            try body.read(schema, scratch, served)
        } catch {
            throw .refused(error)
        }
    }

    /// Makes the changes and stores the reply with them.
    private func run(
        _ transaction: WriteTransaction, _ claim: IdempotencyClaim
    ) throws(StoreError) {
        if let earlier = try transaction.idempotency.record(claim.key.id) {
            // Another server of the same store was faster.
            do throws(RequestFault) {
                record = (try claim.key.reply(in: earlier.payload), true)
            } catch {
                throw .refused(error)
            }
            return
        }
        try body.run(transaction)
        let view = transaction.view()
        let scratch = RequestScratch.current
        let reply: Result<WriteReply, RequestFault>
        do throws(RequestFault) {
            reply = .success(try body.reply(writer(transaction.resultingVersion, view, scratch)))
        } catch {
            reply = .failure(error)
        }
        try view.checkFailure()
        switch reply {
        // The write goes back with its reply, whatever is wrong with that.
        case .failure(let fault): throw .tooLarge(detail: fault.detail)
        case .success(let reply):
            let bytes = caller.record(of: reply, scratch)
            try transaction.idempotency.add(claim.key.request + bytes, as: claim.key.id)
            record = (bytes, false)
        }
    }

    package func finish(_ outcome: WriteOutcome) {
        claim?.release()
        switch outcome {
        case .failed(let error): self.error = error
        case .committed(let number): version.number = number
        }
        caller.finish(self)
    }

    // MARK: The reply

    /// Whether making the reply would hold up a connection's thread.
    package var hasLongReply: Bool { error == nil && record == nil && body.hasLongReply }

    /// The outcome of the write, valid until ``end()``.
    ///
    /// - Throws: ``RequestFault`` when it has failed.
    package func answer() throws(RequestFault) -> Answer {
        switch error {
        case .refused(let fault as RequestFault): throw fault
        case let error?: throw body.fault(error)
        case nil: break
        }
        if let record { return .recorded(record.bytes, isRepeat: record.isRepeat) }
        return .reply(try body.reply(writer(version, nil, RequestScratch.current)))
    }

    /// Lets go of the request and of memory that other writes can use: once, after ``answer()``.
    package func end() {
        body.end(RequestScratch.current)
        if isLarge { served.scheduler.noteFreedMemory() }
    }

    private func writer(
        _ version: StoreVersion, _ view: ReadTransaction?, _ scratch: RequestScratch
    ) -> ReplyWriter {
        ReplyWriter(served: served, form: body.form, version: version, view: view, scratch: scratch)
    }
}
