import HTTPServer
import JSON
import ObjectModel
import ObjectStore

extension RESTService {
    /// `PUT /v1/schema/classes/{class}`: adds or changes one class.
    func putClass(_ request: Request) -> Outcome {
        let name = request.parameter(0).string
        do throws(Problem) {
            let isDryRun = try readSchemaParameters(request)
            let objectClass = try readSchemaBody(request) {
                $0.readClass($1, JSONPointer(), named: name)
            }
            let place: @Sendable (String) -> JSONPointer? = { $0 == name ? JSONPointer() : nil }
            let present = store.catalog.schema
            if isDryRun {
                return .respond(try dryRun(present.replacing(objectClass), place: place))
            }
            let isNew = present.objectClass(named: name) == nil
            let tags = request.header(.ifMatch)?.string
            return changeSchema(place: place) { service, present throws(StoreError) in
                try service.requireSchema(tags, present)
                return present.replacing(objectClass)
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

extension Schema {
    /// The schema with one class added, or in the place of the one of its name.
    fileprivate func replacing(_ objectClass: ObjectClass) -> Schema {
        var schema = self
        if let position = schema.classes.firstIndex(where: { $0.name == objectClass.name }) {
            schema.classes[position] = objectClass
        } else {
            schema.classes.append(objectClass)
        }
        return schema
    }
}
