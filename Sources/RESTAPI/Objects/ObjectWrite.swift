import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

/// A request that writes objects, on its way from the connection's thread to the writer's and back.
///
/// It is the write itself and what makes its reply, so that nothing else has to be allocated on one
/// thread and freed on another.
final class ObjectWrite: PendingWrite, ResponseSource, @unchecked Sendable {
    // Unchecked: one thread at a time has it. The connection's thread (or a worker's) makes it and hands
    // it in; from then until `finish` the writer's thread alone uses it, which hands it to the thread
    // that makes the reply.

    /// One object to write.
    struct Item {
        var draft: ObjectDraft
        /// Which object, where the class has no primary key.
        var objectKey: UInt64?
        var precondition: Precondition
    }

    /// One object of several that were written.
    struct Written: Sendable {
        var isCreated: Bool
        /// Nil when the reply doesn't need it.
        var object: StoredObject?
    }

    /// What the writer did.
    private enum Result {
        /// Nothing yet.
        case none
        /// The object whose row is in ``ObjectWriteMemory/row``.
        case one(OneWritten)
        /// The objects as they are now, in the order of the items, and which of them are new.
        case several([Written])
        /// Read again under a newer schema, the body breaks it.
        case refused(RequestFault)
        /// The reply is made already, because it is stored with the write.
        case answered(Response)
    }

    /// The one object that was written.
    struct OneWritten {
        var schema: RowSchema
        var classIndex: Int
        var key: UInt64
        var isCreated: Bool
    }

    /// Makes several items from the request under a schema.
    typealias Prepare = @Sendable (SchemaNames, RequestScratch) throws(RequestFault) -> [Item]

    /// Where the items come from.
    enum Preparation {
        /// The request names one object, and its body is the object.
        case named(Request, KeySource, isMerge: Bool, Precondition)
        /// The body may have several.
        case read(Prepare)
    }

    let service: RESTService
    let preferences: Preferences
    /// Whether the body is an array, and the reply too.
    let isArray: Bool
    /// Of a request with an idempotency key.
    private let claim: IdempotencyClaim?
    private let memory: ObjectWriteMemory
    /// Nil once the request is needed no more, which then serves the connection's next one.
    private var preparation: Preparation?
    private let mode: WriteMode
    private var schema: RowSchema
    /// The only item; nil when ``items`` has several.
    private var item: Item?
    private var items: [Item] = []
    /// The item that is being written: the one that failed when the write fails.
    private var position = 0
    private var result = Result.none
    private var version = StoreVersion(epoch: 0, number: 0)
    private var exchange: Exchange?

    /// Reads the request.
    ///
    /// - Throws: ``RequestFault`` with every fault of the body.
    init(
        _ service: RESTService, mode: WriteMode, preferences: Preferences, isArray: Bool,
        _ claim: IdempotencyClaim?, _ preparation: Preparation
    ) throws(RequestFault) {
        self.service = service
        self.mode = mode
        self.preferences = preferences
        self.isArray = isArray
        self.claim = claim
        self.preparation = preparation
        let scratch = RequestScratch.current
        memory = scratch.takeWriteMemory()
        schema = service.store.catalog.rows
        try prepare(scratch)
    }

    private func prepare(_ scratch: RequestScratch) throws(RequestFault) {
        let names = scratch.names(of: schema, service.served)
        scratch.reader.drafts = memory.drafts
        defer { scratch.reader.drafts = nil }
        switch preparation {
        case nil: return
        case .named(let request, let source, let isMerge, let precondition):
            item = try service.readNamed(
                request, source, isMerge: isMerge, precondition, names, scratch)
        case .read(let prepare):
            items = try prepare(names, scratch)
            if !isArray, items.count == 1 { item = items.removeLast() }
        }
    }

    /// Hands the write in; the exchange is answered when it is durable.
    func start(_ exchange: Exchange) {
        self.exchange = exchange
        service.store.submit(self)
    }

    // MARK: The writer's thread

    /// Makes the changes; may run more than once.
    func run(_ transaction: WriteTransaction) throws(StoreError) {
        version.epoch = transaction.epoch
        result = .none
        if transaction.catalog.rows !== schema {
            // The schema has changed since the body was read; drafts belong to one schema.
            schema = transaction.catalog.rows
            do throws(RequestFault) {
                try prepare(RequestScratch.current)
            } catch {
                result = .refused(error)
                return
            }
        }
        if let claim, let kept = try transaction.keptReply(claim.key.id) {
            // Another server of the same store was faster.
            result = .answered(
                service.replying { () throws(RequestFault) in
                    try KeptResponse.response(kept.payload, to: claim.key)
                })
            return
        }
        try write(transaction)
        guard let claim else { return }
        let response = try service.reply(in: transaction) { view throws(RequestFault) in
            try reply(transaction.resultingVersion, in: view)
        }
        try transaction.keepReply(
            KeptResponse.encode(response, to: claim.key), as: claim.key.id)
        result = .answered(response)
    }

    private func write(_ transaction: WriteTransaction) throws(StoreError) {
        guard let item else {
            result = .several(try write(items, transaction))
            return
        }
        transaction.source = 0
        let written = try transaction.write(
            item.draft, objectKey: item.objectKey, mode: mode, precondition: item.precondition)
        memory.row.removeAll()
        if item.draft.children.isEmpty {
            memory.row.append(written.row.bytes)
        } else if let row = try transaction.row(item.draft.rowClass, written.key) {
            // What the object contains in full may have led back to it.
            memory.row.append(row.bytes)
        }
        result = .one(
            OneWritten(
                schema: schema, classIndex: written.classIndex, key: written.key,
                isCreated: written.isCreated))
    }

    private func write(
        _ items: [Item], _ transaction: WriteTransaction
    ) throws(StoreError) -> [Written] {
        var written: [(key: UInt64, rowClass: RowClass, isCreated: Bool)] = []
        written.reserveCapacity(items.count)
        for (position, item) in items.enumerated() {
            self.position = position
            transaction.source = position
            let result = try transaction.write(
                item.draft, objectKey: item.objectKey, mode: mode, precondition: item.precondition)
            written.append((result.key, item.draft.rowClass, result.isCreated))
        }
        var results: [Written] = []
        results.reserveCapacity(written.count)
        var copies = ReplyCopies(roomByteCount: service.served.limits.queryMemoryByteCountMax)
        for (key, rowClass, isCreated) in written {
            var object: StoredObject?
            // Later items may have changed it, so it is copied at the end.
            if !preferences.isMinimal, let row = try transaction.row(rowClass, key) {
                object = copies.copy(schema, rowClass.index, key, row)
            }
            results.append(Written(isCreated: isCreated, object: object))
        }
        if copies.isExhausted {
            for index in results.indices { results[index].object = nil }
        }
        return results
    }

    func finish(_ outcome: WriteOutcome) {
        claim?.release()
        guard let exchange = exchange.take() else { return }
        switch outcome {
        case .failed(let error):
            let problem = service.problem(error, at: isArray ? position : nil)
            exchange.respond { [service] in service.response(problem) }
        case .committed(let number):
            version.number = number
            if case .several(let written) = result,
                written.count > RESTService.inlineObjectCountMax,
                service.isScheduled(
                    for: exchange, expecting: .long,
                    { _ in exchange.respond(self.makeResponse()) })
            {
                return
            }
            exchange.respond(self)
        }
    }

    // MARK: The reply

    func makeResponse() -> Response {
        let response = service.replying { () throws(RequestFault) in try reply(version, in: nil) }
        item = nil
        items = []
        preparation = nil
        RequestScratch.current.give(memory)
        return response
    }
    private func reply(_ version: StoreVersion, in view: ReadTransaction?) throws(RequestFault)
        -> Response
    {
        switch result {
        case .refused(let problem): throw problem
        case .none: throw service.served.fault(.closing)
        case .answered(let response): return response
        case .several(let written):
            return try service.reply(toMany: written, version, preferences, in: view)
        case .one(let written):
            return try service.reply(to: written, memory.row, version, preferences, in: view)
        }
    }
}
