import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

// What the operations on definitions of projections share.
extension RESTService {
    /// The definition that a path names.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    func definition(_ request: Request, _ rows: RowSchema) throws(RequestFault) -> Projection {
        let name = request.parameter(0).string
        guard let projection = rows.projections.first(where: { $0.name == name }) else {
            throw .unknownProjection(name, rows)
        }
        return projection
    }

    /// A reply about definitions, which carries the tag of the schema that they belong to.
    func definitionResponse(
        _ status: UInt16, _ catalog: Catalog, _ write: (JSONWriter) -> Void
    ) -> Response {
        Response.json(status, write).with(entityTag: schemaTag(catalog.schema))
    }
}
