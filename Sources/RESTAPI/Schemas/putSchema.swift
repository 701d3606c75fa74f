import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/schema`: compares the body with the stored schema and makes the change, or with `dryRun`
    /// tells what it would be.
    func putSchema(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let document = try self.readSchemaBody(request) { $0.readSchema($1) }
            return try self.changeSchema(request, CatalogChange(.schema(document))) {
                catalog in
                self.schemaResponse(200, catalog.schema) {
                    SchemaWriter($0).write(catalog.schema)
                }
            }
        }
    }
}
