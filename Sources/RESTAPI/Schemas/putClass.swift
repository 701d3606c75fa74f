import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/schema/classes/{class}`: adds or changes one class.
    func putClass(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let (objectClass, renames) = try readSchemaBody(request) { reader, root in
            reader.readClass(root, JSONPointer(), named: name).map { ($0, reader.classRenames) }
        }
        let change = CatalogChange(.objectClass(name, objectClass, renames))
        let isNew = change.isAddition(to: store.catalog)
        return try changeSchema(request, change) { catalog in
            self.schemaResponse(isNew ? 201 : 200, catalog.schema) {
                SchemaWriter($0).write(
                    catalog.schema.objectClass(named: name) ?? objectClass)
            }
        }
    }
}
