import ObjectJSON
import ObjectStore
import Rows

/// What a request asks the writer for, read under one schema, and read again if that has changed before
/// the request's turn comes: drafts and queries belong to one schema.
package final class PreparedRequest<Plan>: @unchecked Sendable {
    // Unchecked: one thread at a time has it. The connection's thread (or a worker's) makes it and hands
    // it in; from then until the completion the writer's thread alone uses it.

    /// Reads the request under a schema.
    package typealias Prepare = @Sendable (SchemaNames, RequestScratch) throws(RequestFault) -> Plan

    private let served: ServedStore
    private let prepare: Prepare
    /// The schema that it was read under last.
    package private(set) var schema: RowSchema
    /// What was read last.
    package private(set) var last: Plan

    /// Reads the request.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    package init(_ served: ServedStore, _ prepare: @escaping Prepare) throws(RequestFault) {
        self.served = served
        self.prepare = prepare
        let scratch = RequestScratch.current
        schema = served.store.catalog.rows
        last = try prepare(scratch.names(of: schema, served), scratch)
    }

    /// What the request asks for under the schema of a transaction. Writer's thread.
    package func plan(for transaction: WriteTransaction) throws(RequestFault) -> Plan {
        if transaction.catalog.rows !== schema {
            let scratch = RequestScratch.current
            last = try prepare(
                scratch.names(of: transaction.catalog.rows, served), scratch)
            schema = transaction.catalog.rows
        }
        return last
    }
}
