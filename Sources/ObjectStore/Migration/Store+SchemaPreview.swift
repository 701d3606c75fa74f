import ObjectModel

extension Store {
    /// Checks whether a schema could take the place of the present one, and changes nothing.
    ///
    /// - Throws: ``StoreError`` `.invalidSchema`, `.unsupportedMigration` or `.sharedValues`, as the change would.
    package func checkSchema(_ proposed: Schema) throws(StoreError) {
        let transaction = try read()
        defer { transaction.close() }
        let change = try SchemaChange(from: transaction.catalog, to: proposed)
        try change.testUniqueness(in: transaction.snapshot, transaction)
    }
}
