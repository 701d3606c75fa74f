import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/schema/classes/{class}`: adds or changes one class.
    func putClass(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let name = request.parameter(0).string
            let (objectClass, renames) = try self.readSchemaBody(request) { reader, root in
                reader.readClass(root, JSONPointer(), named: name).map { ($0, reader.classRenames) }
            }
            let change = CatalogChange(.objectClass(name, objectClass, renames))
            let isNew = change.isAddition(to: self.store.catalog)
            return try self.changeSchema(request, change) { catalog in
                self.schemaResponse(isNew ? 201 : 200, catalog.schema) {
                    SchemaWriter($0).write(
                        catalog.schema.objectClass(named: name) ?? objectClass)
                }
            }
        }
    }
}
