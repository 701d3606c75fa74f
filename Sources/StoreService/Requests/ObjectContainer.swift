import HoldfastObjectJSON
import HoldfastRows

/// The container of the objects that a request is about, by its name.
package enum ObjectContainer: Sendable {
    case ofClass(String)
    case projection(String)
}

extension SchemaNames {
    /// The class of a container, and the projection if it is one.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a class without objects by
    ///   themselves.
    package func find(
        _ container: ObjectContainer
    ) throws(RequestFault) -> (rowClass: RowClass, projection: CompiledProjection?) {
        switch container {
        case .ofClass(let name): return (try objectClass(named: name), nil)
        case .projection(let name):
            let projection = try projection(named: name)
            return (projection.rowClass, projection)
        }
    }

    /// The selection of `fields` and `expand`; all that the container shows without them.
    ///
    /// - Throws: ``RequestFault`` `.malformed` that names the parameter and the nearest known name.
    package func selection(
        fields: String?, expand: String? = nil, of rowClass: RowClass,
        shownBy projection: CompiledProjection?
    ) throws(RequestFault) -> FieldSelection {
        if let projection { return try projection.selection(fields: fields) }
        return try selection(fields: fields, expand: expand, of: rowClass)
    }
}
