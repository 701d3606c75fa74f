/// The parameters of a change of the schema.
struct SchemaParameters {
    /// Whether the change is only told, and not made.
    var isDryRun: Bool
    /// Whether values may be lost that the new schema has no room for.
    var allowsDataLoss: Bool
}
