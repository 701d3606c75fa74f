import HoldfastThreads

/// A change of the schema without a request, whose outcome a thread waits for.
package final class AwaitedSchemaWrite: PendingSchemaWrite {
    private let make: @Sendable (Catalog) throws(StoreError) -> SchemaProposal
    private let outcome = Monitor<WriteOutcome?>(nil)

    /// Makes a change; `make` may run more than once.
    package init(_ make: @escaping @Sendable (Catalog) throws(StoreError) -> SchemaProposal) {
        self.make = make
    }

    package func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal {
        try make(present)
    }

    package func finish(_ outcome: WriteOutcome) {
        self.outcome.update { $0 = outcome }
    }

    /// Waits until the change is durable or has failed.
    ///
    /// - Returns: The version that it made, or the current one if it changed nothing.
    @discardableResult
    package func wait() throws(StoreError) -> UInt64 { try outcome.wait { $0 }.get() }
}
