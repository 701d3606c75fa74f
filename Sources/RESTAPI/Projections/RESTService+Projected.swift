import HTTPServer
import ObjectJSON
import ObjectStore
import Rows

// What the operations on projected objects share.
extension RESTService {
    /// The projection whose name stands first in the path, of a class whose objects stand by themselves.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for one of an embedded class.
    func projection(_ request: Request, _ names: SchemaNames) throws(RequestFault)
        -> CompiledProjection
    {
        try names.projection(named: request.parameter(0).string)
    }

    /// The projection that is to show what a property holds.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when there is none of the name, or when it shows another class.
    func projection(
        named name: String, of rowClass: RowClass, _ member: Int, _ names: SchemaNames
    ) throws(RequestFault) -> CompiledProjection {
        guard let projection = names.projections[name] else {
            var problem = RequestFault.unknownProjection(name, names.schema)
            problem.kind = .malformed
            throw problem
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
