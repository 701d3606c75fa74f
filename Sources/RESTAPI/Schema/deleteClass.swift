import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore

extension RESTService {
    /// `DELETE /v1/schema/classes/{class}`: drops one class with its objects.
    func deleteClass(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try readSchemaParameters(request)
            let name = request.parameter(0).string
            let place: @Sendable (SchemaPlace) -> JSONPointer? = { _ in nil }
            let make: @Sendable (Schema) throws(StoreError) -> SchemaProposal = {
                present throws(StoreError) in
                guard present.objectClass(named: name) != nil else { throw .unknownClass(name) }
                let users = present.users(ofClass: name)
                if !users.isEmpty { throw .classInUse(users) }
                return SchemaProposal(
                    present.dropping(name), allowsDataLoss: parameters.allowsDataLoss)
            }
            let present = store.catalog.schema
            guard present.objectClass(named: name) != nil else {
                throw .unknownClass(name, store.catalog.rows)
            }
            if parameters.isDryRun {
                do throws(StoreError) {
                    return dryRun(try make(present), place: place)
                } catch {
                    throw schemaProblem(error, place: place)
                }
            }
            let tags = try EntityTags.read(.ifMatch, of: request)
            return changeSchema(place: place) { service, present throws(StoreError) in
                try service.requireSchema(tags, present)
                return try make(present)
            } answer: { service, catalog in
                Response(204).with(entityTag: service.schemaTag(catalog.schema))
            }
        }
    }
}
