import HoldfastObjectModel
import HoldfastObjectStore

extension Store {
    /// Runs a write and waits for it.
    @discardableResult
    package func write(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws(StoreError) -> UInt64 {
        let write = AwaitedWrite(body)
        submit(write)
        return try write.wait()
    }

    /// Makes `classes` the schema and waits for it.
    @discardableResult
    package func setSchema(
        _ classes: [ObjectClass], renames: SchemaRenames = SchemaRenames(),
        allowsDataLoss: Bool = false
    ) throws(StoreError) -> UInt64 {
        let write = AwaitedSchemaWrite { _ in
            SchemaProposal(
                Schema(classes: classes), renames: renames, allowsDataLoss: allowsDataLoss)
        }
        submit(write)
        return try write.wait()
    }

    /// Runs `body` on a view of the last commit.
    package func reading<Result>(_ body: (StoreView) throws -> Result) throws -> Result {
        let transaction = try read()
        defer { transaction.close() }
        return try body(transaction)
    }
}

// Tests and tools look at views themselves, also at those that have failed.
extension Store {
    /// Opens a view of the last commit, which is to be closed.
    package func read() throws(StoreError) -> StoreView {
        try holdRead().withRead { $0.unrestricted }
    }
}

extension WriteTransaction {
    /// The objects as the transaction sees them, as long as its body runs.
    package func view() throws(StoreError) -> StoreView { try withView { $0 } }
}
