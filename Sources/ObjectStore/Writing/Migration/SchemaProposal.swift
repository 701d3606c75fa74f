import HoldfastObjectModel

/// A schema that is to replace the current one.
package struct SchemaProposal: Sendable {
    /// The schema; its own revision counts for nothing.
    package var schema: Schema
    /// The names that are new names of stored classes and properties.
    package var renames: SchemaRenames
    /// The projections that are wanted; nil leaves them as they are, but for renamings.
    package var projections: [Projection]?
    /// Whether values may be lost that the new schema has no room for.
    package var allowsDataLoss: Bool

    /// Makes the access document for the schema that is wanted, of the store's and the present and the wanted catalog; nil
    /// leaves it as it is. It throws where the document does not hold in the schema that is wanted.
    package var document:
        (@Sendable (StoredDocument, Catalog, Catalog) throws(StoreError) -> String)?

    /// Makes a proposal.
    package init(
        _ schema: Schema, renames: SchemaRenames = SchemaRenames(), allowsDataLoss: Bool = false,
        projections: [Projection]? = nil
    ) {
        self.projections = projections
        self.schema = schema
        self.renames = renames
        self.allowsDataLoss = allowsDataLoss
    }
}
