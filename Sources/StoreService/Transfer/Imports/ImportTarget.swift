import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Where the objects of an import go.
package enum ImportTarget: Sendable {
    /// Into the class of this name: a line is an object.
    case objects(className: String)
    /// Into their own classes: a whole store, as `GET /v1/export` writes it.
    case store

    /// Makes sure that an import can go there.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when there is no such class; when its objects are not created
    ///   by themselves, or not by this mode.
    package func check(_ schema: RowSchema, _ mode: WriteMode) throws(RequestFault) {
        guard case .objects(let className) = self else { return }
        guard let rowClass = schema.rowClass(named: className) else {
            throw .unknownClass(className, schema)
        }
        try rowClass.requireCreatable()
        try rowClass.requireCreation(mode)
    }
}
