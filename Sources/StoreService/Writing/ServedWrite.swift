import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// A queued write, from the thread of its request to the writer's and back.
///
/// It is the write itself, the maker of its reply, and the hold on its idempotency key, so that nothing else has to
/// be allocated on one thread and freed on another.
package final class ServedWrite<Body: WriteCase, Waiter: WriteWaiter>: PendingWrite,
    @unchecked Sendable
{
    // Unchecked: one thread at a time has it. The request's thread makes it and hands it in; from then until
    // `finish` the writer's thread alone uses it, which hands it to the thread that makes the reply.

    private let served: ServedStore
    private let claim: IdempotencyClaim?
    /// The work of the write; only for the thread that has the write.
    package private(set) var body: Body
    /// The side that waits.
    package var waiter: Waiter
    private var schema: RowSchema
    /// The record of the reply, and whether it was there before.
    private var record: (bytes: [UInt8], isRepeat: Bool)?
    private var version = StoreVersion(epoch: 0, number: 0)
    private var error: StoreError?
    /// Whether so much memory is freed at its end that it is worth giving back.
    private let isLarge: Bool

    /// The least memory of the drafts of a large write, in bytes.
    private static var largeByteCount: Int { 4 << 20 }

    /// Reads the request.
    ///
    /// - `claim`: Of a request with an idempotency key.
    /// - Throws: ``RequestFault`` with every fault of the request.
    package init(
        _ body: Body, waiter: Waiter, _ claim: IdempotencyClaim? = nil, in served: ServedStore
    ) throws(RequestFault) {
        self.served = served
        self.claim = claim
        self.body = body
        self.waiter = waiter
        schema = served.store.catalog.rows
        var known = schema
        if body.caller.visibility != nil {
            // The schema of the view, and the names in it that the caller knows.
            (schema, known) = try served.withRead(for: body.caller) { read in
                (read.catalog.rows, read.rows)
            }
        }
        let scratch = RequestScratch.current
        // The body keeps its request where this fails: a job that begins again makes another write of it.
        try self.body.read(known, scratch, served)
        isLarge = scratch.reader.draftByteCount > Self.largeByteCount
    }

    /// Changes the work, before the write is submitted.
    package func amend(_ change: (inout Body) throws(RequestFault) -> Void) throws(RequestFault) {
        try change(&body)
    }

    /// Submits the write. Its waiter is woken when it is durable.
    package func start() { served.store.submit(self) }

    /// Gives up a write that is not handed in, so that the request can be repeated.
    package func abandon() { claim?.release() }

    // MARK: The writer's thread

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        version.epoch = transaction.epoch
        record = nil
        if transaction.catalog.rows !== schema { try prepareAgain(transaction) }
        try body.caller.keep(transaction, in: served)
        guard let claim else { return try body.run(transaction) }
        try run(transaction, claim)
    }

    private func prepareAgain(_ transaction: WriteTransaction) throws(StoreError) {
        schema = transaction.catalog.rows
        let scratch = RequestScratch.current
        try transaction.withView { view throws(StoreError) in
            do throws(RequestFault) {
                try self.body.read(self.body.caller.view(of: view).rows, scratch, self.served)
            } catch { throw .refused(error) }
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
            } catch { throw .refused(error) }
            return
        }
        try body.run(transaction)
        let scratch = RequestScratch.current
        let reply = try transaction.withView { view throws(StoreError) -> WriteReply in
            do throws(RequestFault) {
                let own = try self.body.caller.view(of: view)
                var form = self.body.form
                guard self.body.caller.visibility != nil else {
                    return try self.reply(transaction.resultingVersion, own, scratch, form)
                }
                // A repeat may come when less may be read: it shows the visible part then.
                form.isMinimal = true
                var reply = try self.reply(transaction.resultingVersion, own, scratch, form)
                reply.etag = nil
                reply.hasNoObjects = true
                return reply
            } catch {
                // The write goes back with its reply, also with a failed one.
                throw .tooLarge(detail: error.detail)
            }
        }
        let bytes = ReplyRecord.encode(reply, json: scratch.reply.bytes)
        scratch.reply.removeAll()
        try transaction.idempotency.add(
            claim.key.request + bytes, as: claim.key.id, of: claim.key.owner)
        if body.caller.visibility == nil { record = (bytes, false) }
    }

    package func finish(_ outcome: WriteOutcome) {
        claim?.release()
        switch outcome {
        case .failure(let error): self.error = error
        case .success(let number): version.number = number
        }
        if error == nil, record == nil, body.hasLongReply,
            served.scheduler.submit(
                Job(body.caller.client, expecting: .long) { _ in self.waiter.tell(self) })
        {
            return
        }
        waiter.wake(self)
    }

    // MARK: The reply

    /// The reply of the write, valid until ``end()``; its JSON is in ``RequestScratch/reply``.
    ///
    /// - Throws: ``RequestFault`` when it has failed.
    package func answer() throws(RequestFault) -> WriteReply {
        if let error {
            var fault =
                if case .refused(let refusal as RequestFault) = error { refusal } else {
                    body.fault(error)
                }
            fault.quotesLargeInts = body.form.quotesLargeInts
            throw fault
        }
        let scratch = RequestScratch.current
        guard let record else { return try reply(version, nil, scratch, body.form) }
        guard record.isRepeat else {
            return try ReplyRecord.reply(in: record.bytes, json: scratch.reply)
        }
        var reply = try served.repeated(record.bytes)
        try served.show(&reply, to: body.caller, body.form)
        return reply
    }

    /// Lets go of the request and of memory that other writes can use: once, after ``answer()``.
    package func end() {
        body.end(RequestScratch.current)
        if isLarge { served.scheduler.noteFreedMemory() }
    }

    private func reply(
        _ version: StoreVersion, _ view: ReadTransaction?, _ scratch: RequestScratch,
        _ form: ReplyForm
    ) throws(RequestFault) -> WriteReply {
        var reply = try body.reply(
            ReplyWriter(
                served: served, caller: body.caller, form: form, version: version, view: view,
                scratch: scratch))
        reply.quotesLargeInts = form.quotesLargeInts
        return reply
    }
}

/// The side that waits for a write.
package protocol WriteWaiter: Sendable {
    /// Hands a write that is durable or has failed over to the thread that tells it (``ServedWrite/answer()``), and
    /// does nothing else. Writer's thread; must not block.
    func wake<Body: WriteCase>(_ write: ServedWrite<Body, Self>)

    /// Completes a write with a reply that would hold up that thread. A scheduler's thread.
    func tell<Body: WriteCase>(_ write: ServedWrite<Body, Self>)
}
