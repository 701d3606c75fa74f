import HoldfastQuery

/// Columns that are in memory, as a plan finds them.
struct ResidentColumns {
    /// The chunks of each.
    var chunks: [ColumnReference: [ColumnChunk?]] = [:]
    /// How many rows changed between them and the snapshot that looks at them: at 0 they are its own.
    var staleRowCount = 0
}
