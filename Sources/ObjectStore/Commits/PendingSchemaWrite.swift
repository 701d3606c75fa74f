import ObjectModel

/// A change of the schema that waits for its turn; it gets commits of its own.
package protocol PendingSchemaWrite: PendingWrite {
    /// The schema that is wanted, given the present one; nil to leave it.
    ///
    /// Runs on the writer's thread, perhaps more than once.
    func proposal(_ present: Schema) throws(StoreError) -> SchemaProposal?

    /// The projections that are wanted, given the present ones; nil to leave them.
    ///
    /// Runs after ``proposal(_:)`` in the same way.
    func projections(_ present: Catalog) throws(StoreError) -> [Projection]?
}

extension PendingSchemaWrite {
    package func projections(_ present: Catalog) throws(StoreError) -> [Projection]? { nil }
}

extension PendingSchemaWrite {
    package var schemaWrite: (any PendingSchemaWrite)? { self }

    /// Never called: the writer asks for a ``proposal(_:)`` instead.
    package func run(_ transaction: WriteTransaction) throws(StoreError) {}
}
