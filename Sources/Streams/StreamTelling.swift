import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

/// The wishes of a stream's client beside the objects of the result.
package struct StreamTelling: Hashable, Sendable {
    /// Of an object that stays the paths whose changes alone are told, with commas between them; nil for all.
    @Exact private(set) var keyPaths: String?
    /// Whether an update has what was there before, as far as it is known.
    let tellsOld: Bool
    /// The name that each entry has, where the stream has several queries.
    @Exact private(set) var query: String?

    /// Takes what the client states.
    package init(keyPaths: String? = nil, tellsOld: Bool = false, query: String? = nil) {
        _keyPaths = Exact(keyPaths)
        self.tellsOld = tellsOld
        _query = Exact(query)
    }

    /// Compiles the properties whose changes are told, in the projection's names where there is one; nil for all.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with the nearest name.
    func compared(
        of rowClass: RowClass, _ projection: CompiledProjection?, _ names: SchemaNames
    ) throws(RequestFault) -> FieldSelection? {
        guard let keyPaths else { return projection?.selection }
        if keyPaths.contains("$") {
            throw .parameter(
                PathParameter.keyPaths.rawValue,
                "The paths in 'keyPaths' name properties; leave '$id' and '$version' out.")
        }
        if let projection { return try projection.selection(fields: keyPaths, .keyPaths) }
        return try FieldSelection(
            fields: keyPaths, expand: nil, of: rowClass, names: names, .keyPaths,
            within: RequestScratch.current.budget)
    }
}
