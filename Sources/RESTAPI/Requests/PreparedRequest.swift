import ObjectJSON
import ObjectStore
import Rows

/// What a request asks the writer for, read under one schema, and read again if that has changed before
/// the request's turn comes: drafts and queries belong to one schema.
final class PreparedRequest<Plan>: @unchecked Sendable {
    // Unchecked: one thread at a time has it. The connection's thread (or a worker's) makes it and hands
    // it in; from then until the completion the writer's thread alone uses it.

    /// Reads the request under a schema.
    typealias Prepare = @Sendable (SchemaNames, RequestScratch) throws(RequestFault) -> Plan

    private let service: RESTService
    private let prepare: Prepare
    /// The schema that it was read under last.
    private(set) var schema: RowSchema
    /// What was read last.
    private(set) var last: Plan

    /// Reads the request.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    init(_ service: RESTService, _ prepare: @escaping Prepare) throws(RequestFault) {
        self.service = service
        self.prepare = prepare
        let scratch = RequestScratch.current
        schema = service.store.catalog.rows
        last = try prepare(scratch.names(of: schema, service), scratch)
    }

    /// What the request asks for under the schema of a transaction. Writer's thread.
    func plan(for transaction: WriteTransaction) throws(RequestFault) -> Plan {
        if transaction.catalog.rows !== schema {
            let scratch = RequestScratch.current
            last = try prepare(
                scratch.names(of: transaction.catalog.rows, service), scratch)
            schema = transaction.catalog.rows
        }
        return last
    }
}
