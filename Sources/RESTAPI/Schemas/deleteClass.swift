import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `DELETE /v1/schema/classes/{class}`: drops one class with its objects.
    func deleteClass(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        guard store.catalog.schema.objectClass(named: name) != nil else {
            throw .unknownClass(name, store.catalog.rows)
        }
        return try changeSchema(request, CatalogChange(.droppedClass(name))) {
            catalog in
            Response(204).with(entityTag: self.schemaTag(catalog.schema))
        }
    }
}
