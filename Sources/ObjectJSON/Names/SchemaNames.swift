import HoldfastObjectModel
import HoldfastRows

/// The names of a schema in the forms that JSON needs: to be found by their bytes, and to be written.
///
/// Made once for each schema. Immutable; safe to use from any thread.
package final class SchemaNames: Sendable {
    package let schema: RowSchema
    /// The selection of each class for requests without `fields`: every stored property, and `$id`
    /// if the class has no primary key.
    package let everything: [FieldSelection]
    package let projections: [ExactText: CompiledProjection]
    private let table: NameTable

    package init(_ schema: RowSchema) {
        self.schema = schema
        everything = schema.classes.map { FieldSelection(everythingOf: $0) }
        projections = CompiledProjection.all(of: schema)
        table = NameTable(schema.classes.map(\.definition.name)) { schema.knows($0) }
    }

    /// Finds the position of the class with this name.
    package func classIndex(named name: UnsafeRawBufferPointer) -> Int? { table.position(of: name) }

    /// Finds the projection of a name, of a class that is not embedded.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a projection of an embedded
    ///   class.
    package func projection(named name: String) throws(RequestFault) -> CompiledProjection {
        guard let projection = projections[name] else { throw .unknownProjection(name, schema) }
        if projection.rowClass.definition.kind == .embedded {
            throw RequestFault(
                .unsupportedOperation, "embedded-class",
                "Projection '\(name)' shows objects of the embedded class "
                    + "'\(projection.rowClass.definition.name)', which live inside others: read them at "
                    + "/v1/classes/{class}/objects/{id}/properties/{property}?projection=\(name), or "
                    + "through a projection that shows '\(name)'.")
        }
        return projection
    }
}
