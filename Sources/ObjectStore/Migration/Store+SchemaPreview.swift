import ObjectModel

extension Store {
    /// Checks whether a schema could take the place of the present one, and changes nothing.
    ///
    /// - Throws: ``StoreError`` `.invalidSchema` or `.unsupportedMigration`, as the change would.
    package func checkSchema(_ proposed: Schema) throws(StoreError) {
        _ = try SchemaChange(from: catalog, to: proposed)
    }
}
