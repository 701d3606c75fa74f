import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/projections/{projection}`: adds a projection, or puts another in its place.
    func putProjection(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let name = request.parameter(0).string
            var reader = SchemaReader()
            let read = reader.readProjection(try self.json(request), JSONPointer(), named: name)
            guard let projection = read, reader.faults.isEmpty else {
                throw .projection(reader.faults)
            }
            let change = CatalogChange(.projection(projection))
            let isNew = change.isAddition(to: self.store.catalog)
            return try self.change(request, change) { catalog in
                self.schemaResponse(isNew ? 201 : 200, catalog.schema) {
                    $0.projection(projection)
                }
            }
        }
    }
}
