import HTTPServer
import ObjectStore
import Rows
import StoreService

/// A request that writes objects, on its way from the connection's thread to the writer's.
final class ObjectWrite: @unchecked Sendable {
    // Unchecked: one thread at a time has it. The connection's thread (or a worker's) makes it and hands
    // it in; from then until the completion the writer's thread alone uses it.

    /// One object to write.
    struct Item {
        var draft: ObjectDraft
        /// Which object, where the class has no primary key.
        var objectKey: UInt64?
        var precondition: Precondition
    }

    /// What the writer did.
    enum Result: Sendable {
        /// The objects as they are now, in the order of the items, and which of them are new.
        case written([Written])
        /// Read again under a newer schema, the body breaks it.
        case refused(Problem)
    }

    /// One object that was written.
    struct Written: Sendable {
        var isCreated: Bool
        /// Nil when the reply doesn't need it.
        var object: StoredObject?
    }

    /// Makes the items from the request under a schema.
    typealias Prepare = @Sendable (SchemaNames, RequestScratch) throws(Problem) -> [Item]

    private let service: RESTService
    private let prepare: Prepare
    private let mode: WriteMode
    private var schema: RowSchema
    private var items: [Item]
    /// Whether the reply carries the objects.
    private let keepsObjects: Bool
    /// The item that is being written: the one that failed when the write fails.
    private(set) var position = 0

    /// Reads the request.
    ///
    /// - Throws: ``Problem`` with every fault of the body.
    init(
        _ service: RESTService, mode: WriteMode, keepsObjects: Bool, _ prepare: @escaping Prepare
    ) throws(Problem) {
        self.service = service
        self.mode = mode
        self.keepsObjects = keepsObjects
        self.prepare = prepare
        let scratch = RequestScratch.current
        schema = service.store.catalog.rows
        items = try prepare(scratch.names(of: schema, service), scratch)
    }

    /// Makes the changes. Writer's thread; may run more than once.
    func run(_ transaction: WriteTransaction) throws(StoreError) -> Result {
        if transaction.catalog.rows !== schema {
            // The schema has changed since the body was read; drafts belong to one schema.
            let scratch = RequestScratch.current
            schema = transaction.catalog.rows
            do throws(Problem) {
                items = try prepare(scratch.names(of: schema, service), scratch)
            } catch {
                return .refused(error)
            }
        }
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
        return .written(results)
    }
}
