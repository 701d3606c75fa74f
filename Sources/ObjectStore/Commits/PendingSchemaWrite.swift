import ObjectModel

/// A change of the schema that waits for its turn; it gets a commit of its own.
package protocol PendingSchemaWrite: PendingWrite {
    /// The schema that is wanted, given the present one; nil to leave it.
    ///
    /// Runs on the writer's thread, perhaps more than once.
    func proposal(_ present: Schema) throws(StoreError) -> Schema?
}

extension PendingSchemaWrite {
    package var schemaWrite: (any PendingSchemaWrite)? { self }

    /// Never called: the writer asks for a ``proposal(_:)`` instead.
    package func run(_ transaction: WriteTransaction) throws(StoreError) {}
}
