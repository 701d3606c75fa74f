import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `DELETE /v1/projections/{projection}`: takes a definition away; the objects stay.
    func deleteProjection(_ request: Request) throws(RequestFault) -> Outcome {
        let name = try definition(request, store.catalog.rows).name
        return try change(request, CatalogChange(.droppedProjection(name))) { catalog in
            Response(204).with(entityTag: self.schemaTag(catalog.schema))
        }
    }
}
