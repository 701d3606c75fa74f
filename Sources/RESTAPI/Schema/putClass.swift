import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore

extension RESTService {
    /// `PUT /v1/schema/classes/{class}`: adds or changes one class.
    func putClass(_ request: Request) -> Outcome {
        let name = request.parameter(0).string
        do throws(RequestFault) {
            let parameters = try readSchemaParameters(request)
            let (objectClass, renames) = try readSchemaBody(request) { reader, root in
                reader.readClass(root, JSONPointer(), named: name).map { ($0, reader.classRenames) }
            }
            let place: @Sendable (SchemaPlace) -> JSONPointer? = { place in
                switch place {
                case .className(let named): named == name ? JSONPointer() : nil
                case .rename(let old): JSONPointer().appending("renames").appending(old)
                }
            }
            let make: @Sendable (Schema) -> SchemaProposal = { present in
                SchemaProposal(
                    present.replacing(objectClass, renames), renames: renames,
                    allowsDataLoss: parameters.allowsDataLoss)
            }
            let present = store.catalog.schema
            if parameters.isDryRun { return dryRun(make(present), place: place) }
            let isNew = present.objectClass(named: renames.oldName(ofClass: name)) == nil
            let tags = try EntityTags.read(.ifMatch, of: request)
            return changeSchema(place: place) { service, present throws(StoreError) in
                try service.requireSchema(tags, present)
                return make(present)
            } answer: { service, catalog in
                service.schemaResponse(isNew ? 201 : 200, catalog.schema) {
                    $0.write(catalog.schema.objectClass(named: name) ?? objectClass)
                }
            }
        } catch {
            return .respond(response(error))
        }
    }
}
