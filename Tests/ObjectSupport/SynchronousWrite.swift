import HoldfastObjectModel
import HoldfastObjectStore

/// A write whose outcome a thread can wait for.
package final class SynchronousWrite: PendingWrite {
    private let body: @Sendable (WriteTransaction) throws(StoreError) -> Void
    private let awaited = AwaitedOutcome()

    /// Makes a write; `body` may run more than once.
    package init(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) {
        self.body = body
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) { try body(transaction) }

    package func finish(_ outcome: WriteOutcome) { awaited.set(outcome) }

    /// Waits for the outcome and returns the version.
    package func version() throws(StoreError) -> UInt64 { try awaited.version() }
}

/// A change of the schema whose outcome a thread can wait for.
package final class SynchronousSchemaWrite: PendingSchemaWrite {
    private let proposal: @Sendable (Catalog) throws(StoreError) -> SchemaProposal
    private let awaited = AwaitedOutcome()

    /// Makes a change; `proposal` may run more than once.
    package init(_ proposal: @escaping @Sendable (Catalog) throws(StoreError) -> SchemaProposal) {
        self.proposal = proposal
    }

    package func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        try proposal(present)
    }

    package func finish(_ outcome: WriteOutcome) { awaited.set(outcome) }

    /// Waits for the outcome and returns the version.
    package func version() throws(StoreError) -> UInt64 { try awaited.version() }
}

extension Store {
    /// Runs a write and waits for it.
    @discardableResult
    package func write(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> UInt64 {
        let write = SynchronousWrite(body)
        submit(write)
        return try write.version()
    }

    /// Makes `classes` the schema and waits for it.
    @discardableResult
    package func setSchema(
        _ classes: [ObjectClass], renames: SchemaRenames = SchemaRenames(),
        allowsDataLoss: Bool = false
    ) throws(StoreError) -> UInt64 {
        let write = SynchronousSchemaWrite { _ in
            SchemaProposal(
                Schema(classes: classes), renames: renames, allowsDataLoss: allowsDataLoss)
        }
        submit(write)
        return try write.version()
    }

    /// Runs `body` on a view of the last commit.
    package func reading<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let transaction = try read()
        defer { transaction.close() }
        return try body(transaction)
    }
}

// Tests and tools look at views themselves, also at those that have failed.
extension Store {
    /// Opens a view of the last commit, which is to be closed.
    package func read() throws(StoreError) -> ReadTransaction { try holdRead().withRead { $0 } }
}

extension WriteTransaction {
    /// The objects as the transaction sees them, as long as its body runs.
    package func view() throws(StoreError) -> ReadTransaction { try withView { $0 } }
}
