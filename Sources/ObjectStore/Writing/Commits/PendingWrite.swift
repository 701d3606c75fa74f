import HoldfastThreads

/// A write that waits for its write.
package protocol PendingWrite: AnyObject, Sendable {
    /// Makes the changes. Runs on the writer's thread, perhaps more than once, each time from the
    /// beginning on a newer state; it must not block.
    func run(_ transaction: WriteTransaction) throws(StoreError)

    /// Receives the outcome. Runs on the writer's thread after the sync, once; must not block.
    func finish(_ outcome: WriteOutcome)

    /// Itself, if it is a change of the schema; asking costs less than a cast.
    var schemaWrite: (any PendingSchemaWrite)? { get }
}

extension PendingWrite {
    /// Most writes do not change the schema.
    package var schemaWrite: (any PendingSchemaWrite)? { nil }
}

/// The outcome of a write: once it is durable, the version that it made, or the current one if it changed
/// nothing; otherwise why it failed and changed nothing.
package typealias WriteOutcome = Result<UInt64, StoreError>

/// A change of the schema that waits for its write; it gets commits of its own.
package protocol PendingSchemaWrite: PendingWrite {
    /// The proposed change of the present catalog.
    ///
    /// Runs on the writer's thread, perhaps more than once.
    func proposal(_ present: Catalog) throws(StoreError) -> SchemaProposal
}

extension PendingSchemaWrite {
    package var schemaWrite: (any PendingSchemaWrite)? { self }

    /// Never called: the writer asks for a ``proposal(_:)`` instead.
    package func run(_ transaction: WriteTransaction) throws(StoreError) {}
}

/// A write without a request, such as the write of an import's chunk. A thread waits for its outcome.
package final class AwaitedWrite: PendingWrite {
    private let body: @Sendable (WriteTransaction) throws(StoreError) -> Void
    private let outcome = Monitor<WriteOutcome?>(nil)

    /// Makes a write; `body` may run more than once.
    package init(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) {
        self.body = body
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) { try body(transaction) }

    package func finish(_ outcome: WriteOutcome) { self.outcome.update { $0 = outcome } }

    /// Waits until the write is durable or has failed.
    ///
    /// - Returns: The version that it made, or the current one if it changed nothing.
    @discardableResult
    package func wait() throws(StoreError) -> UInt64 { try outcome.wait { $0 }.get() }
}

/// A change of the schema without a request. A thread waits for its outcome.
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

    package func finish(_ outcome: WriteOutcome) { self.outcome.update { $0 = outcome } }

    /// Waits until the change is durable or has failed.
    ///
    /// - Returns: The version that it made, or the current one if it changed nothing.
    @discardableResult
    package func wait() throws(StoreError) -> UInt64 { try outcome.wait { $0 }.get() }
}
