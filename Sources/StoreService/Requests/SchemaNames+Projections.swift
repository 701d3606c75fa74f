import ObjectJSON
import Rows

extension SchemaNames {
    /// The projection that is to show what a property holds.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when there is none of the name, or when it shows another class.
    package func projection(
        named name: String, of rowClass: RowClass, _ member: Int
    ) throws(RequestFault) -> CompiledProjection {
        guard let projection = projections[name] else {
            var fault = RequestFault.unknownProjection(name, schema)
            fault.kind = .malformed
            throw fault
        }
        let compiled = rowClass.members[member]
        guard compiled.classIndex == projection.rowClass.index else {
            throw .parameter(
                "projection",
                "'\(rowClass.definition.properties[member].name)' holds no objects of class "
                    + "'\(projection.rowClass.definition.name)', which '\(name)' shows.")
        }
        return projection
    }
}
