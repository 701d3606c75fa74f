import HTTPServer
import ObjectStore
import Rows

/// A request that writes objects, on its way from the connection's thread to the writer's and back.
final class ObjectWrite: PendingWrite, @unchecked Sendable {
    // Unchecked: one thread at a time has it. The connection's thread (or a worker's) makes it and hands
    // it in; from then until it is finished the writer's thread alone uses it, and then the thread that
    // makes the reply.

    /// One object to write.
    struct Item {
        var draft: ObjectDraft
        /// Which object, where the class has no primary key.
        var objectKey: UInt64?
        var precondition: Precondition
    }

    /// What the writer did.
    enum Result {
        /// The object as it is now.
        case one(Written)
        /// The objects of an array as they are now, in the order of the items.
        case many([Written])
        /// Read again under a newer schema, the body breaks it.
        case refused(Problem)
    }

    /// One object that was written.
    struct Written {
        /// Whether it is new.
        var isCreated: Bool
        /// Nil when the reply doesn't need it.
        var object: StoredObject?
    }

    /// Makes the items from the request under a schema.
    typealias Prepare = @Sendable (SchemaNames, RequestScratch) throws(Problem) -> [Item]

    private let service: RESTService
    private let prepare: Prepare
    private let mode: WriteMode
    /// Whether the body is an array of objects.
    let isArray: Bool
    /// What the client would like.
    let preferences: Preferences
    private var schema: RowSchema
    private var items: [Item]
    private var exchange: Exchange?
    private var epoch: UInt64 = 0
    /// What the writer did, when it last ran the write.
    private(set) var result: Result?
    /// The item that is being written: the one that failed when the write fails.
    private(set) var position = 0

    /// Reads the request.
    ///
    /// - Throws: ``Problem`` with every fault of the body.
    init(
        _ service: RESTService, mode: WriteMode, _ preferences: Preferences, isArray: Bool,
        _ prepare: @escaping Prepare
    ) throws(Problem) {
        self.service = service
        self.mode = mode
        self.preferences = preferences
        self.isArray = isArray
        self.prepare = prepare
        let scratch = RequestScratch.current
        schema = service.store.catalog.rows
        items = try prepare(scratch.names(of: schema, service), scratch)
    }

    /// Whether the reply carries the objects, or what only they tell.
    private var keepsObjects: Bool { !(isArray && preferences.isMinimal) }

    /// Hands the write in; `exchange` gets the reply.
    func submit(_ exchange: Exchange) {
        self.exchange = exchange
        service.store.submit(self)
    }

    /// Makes the changes. Writer's thread; may run more than once.
    func run(_ transaction: WriteTransaction) throws(StoreError) {
        epoch = transaction.epoch
        if transaction.catalog.rows !== schema {
            // The schema has changed since the body was read; drafts belong to one schema.
            let scratch = RequestScratch.current
            schema = transaction.catalog.rows
            do throws(Problem) {
                items = try prepare(scratch.names(of: schema, service), scratch)
            } catch {
                result = .refused(error)
                return
            }
        }
        result = isArray ? .many(try writeAll(transaction)) : .one(try writeOne(transaction))
    }

    private func writeOne(_ transaction: WriteTransaction) throws(StoreError) -> Written {
        guard let item = items.first else { return Written(isCreated: false, object: nil) }
        position = 0
        transaction.source = 0
        let written = try transaction.write(
            item.draft, objectKey: item.objectKey, mode: mode, precondition: item.precondition)
        let object = StoredObject(
            schema: schema, classIndex: written.classIndex, key: written.key, row: written.row)
        return Written(isCreated: written.isCreated, object: object)
    }

    private func writeAll(_ transaction: WriteTransaction) throws(StoreError) -> [Written] {
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
        for (key, rowClass, isCreated) in written {
            var object: StoredObject?
            // Later items may have changed it, so it is copied at the end.
            if keepsObjects, let row = try transaction.row(rowClass, key) {
                object = StoredObject(
                    schema: schema, classIndex: rowClass.index, key: key, row: row)
            }
            results.append(Written(isCreated: isCreated, object: object))
        }
        return results
    }

    /// Has the reply made. Writer's thread.
    func finish(_ outcome: WriteOutcome) {
        guard let exchange = exchange.take() else { return }
        switch outcome {
        case .failed(let error):
            service.answer(exchange, error, at: isArray ? position : nil)
        case .committed(let number):
            service.answer(exchange, self, StoreVersion(epoch: epoch, number: number))
        }
    }
}
