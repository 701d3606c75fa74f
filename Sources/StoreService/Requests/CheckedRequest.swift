import ObjectJSON
import Rows

/// What a request asks to read, checked against a schema: its query is parsed once, and again only for a view
/// of another schema.
package struct CheckedRequest<Checked: Sendable>: Sendable {
    package typealias Check = @Sendable (SchemaNames) throws(RequestFault) -> Checked

    /// The names of the schema that it was checked against.
    package let names: SchemaNames
    /// What was checked.
    package let checked: Checked
    private let check: Check

    /// Checks the request.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    package init(_ names: SchemaNames, _ check: @escaping Check) throws(RequestFault) {
        self.names = names
        self.check = check
        checked = try check(names)
    }

    /// The same request for a view of a schema.
    ///
    /// - Throws: ``RequestFault`` where it does not fit a schema that has come since.
    package func under(_ schema: RowSchema, _ served: ServedStore) throws(RequestFault) -> Self {
        names.schema === schema ? self : try Self(served.names(of: schema), check)
    }
}
