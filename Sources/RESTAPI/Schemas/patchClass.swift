import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PATCH /v1/schema/classes/{class}`: changes parts of one class by a merge patch.
    func patchClass(_ request: Request) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            let present = self.store.catalog
            let name = request.parameter(0).string
            guard let objectClass = present.schema.objectClass(named: name) else {
                throw .unknownClass(name, present.rows)
            }
            guard try BodyType.read(request, isPatch: true) != .jsonPatch else {
                throw RequestFault(
                    .unsupportedPatchType, "unsupported-media-type",
                    "A class is changed by a merge patch, as application/merge-patch+json or application/json.",
                    alternatives: "application/merge-patch+json, application/json")
            }
            let body = try self.served.json(request.body, RequestScratch.current.parser)
            let (patched, renames) = try ClassPatch(body, of: objectClass).read()
            var change = CatalogChange(.objectClass(patched.name, patched, renames))
            change.madeFrom = present.schema.revision
            return try self.changeSchema(request, change) { catalog in
                self.schemaResponse(200, catalog.schema) {
                    SchemaWriter($0).write(
                        catalog.schema.objectClass(named: patched.name) ?? patched)
                }
            }
        }
    }
}
