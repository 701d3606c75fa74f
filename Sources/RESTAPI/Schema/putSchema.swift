import HTTPServer
import JSON
import ObjectModel
import ObjectStore

extension RESTService {
    /// `PUT /v1/schema`: compares the body with the stored schema and makes the change.
    func putSchema(_ request: Request) -> Outcome {
        do throws(Problem) {
            let isDryRun = try readSchemaParameters(request)
            let document = try readSchemaBody(request) { $0.readSchema($1) }
            let place: @Sendable (String) -> JSONPointer? = { document.place($0) }
            if isDryRun { return .respond(try dryRun(document.schema, place: place)) }
            let tags = request.header(.ifMatch)?.string
            return changeSchema(place: place) { service, present throws(StoreError) in
                if let revision = document.revision, revision != present.revision {
                    throw .schemaRevision(current: present.revision)
                }
                try service.requireSchema(tags, present)
                return document.schema
            } answer: { service, catalog in
                service.schemaResponse(200, catalog.schema) { $0.write(catalog.schema) }
            }
        } catch {
            return .respond(response(error))
        }
    }

    /// Hands a change of the schema to the writer and answers when it is durable.
    func changeSchema(
        place: @escaping @Sendable (String) -> JSONPointer?,
        proposal: @escaping @Sendable (RESTService, Schema) throws(StoreError) -> Schema?,
        answer: @escaping @Sendable (RESTService, Catalog) -> Response
    ) -> Outcome {
        .later { exchange in
            self.store.submit(
                SchemaWrite(self.store) { present throws(StoreError) in
                    try proposal(self, present)
                } completion: { result in
                    let version = self.store.version
                    exchange.respond {
                        switch result {
                        case .success(let catalog):
                            answer(self, catalog).with(.holdfastVersion, version.description)
                        case .failure(let error):
                            self.response(self.schemaProblem(error, place: place))
                        }
                    }
                })
        }
    }
}
