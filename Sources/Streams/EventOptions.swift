import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows

/// The event options that a stream's client asked for.
package struct EventOptions: Hashable, Sendable {
    /// The paths that decide whether an update is reported, with commas between them; nil for all.
    @Exact private(set) var keyPaths: String?
    /// Whether an update contains the former values, as far as they are known.
    let tellsOld: Bool
    /// The query's name in each entry, if the stream has several queries.
    @Exact private(set) var query: String?

    /// Takes the options that the client states.
    package init(keyPaths: String? = nil, tellsOld: Bool = false, query: String? = nil) {
        _keyPaths = Exact(keyPaths)
        self.tellsOld = tellsOld
        _query = Exact(query)
    }

    /// Compiles the properties that decide whether an update is reported, in the projection's names if there is one; nil for all.
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
