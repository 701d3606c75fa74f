/// A change of the schema that waits for its turn; it gets commits of its own.
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
