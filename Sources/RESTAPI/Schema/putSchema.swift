import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

extension RESTService {
    /// `PUT /v1/schema`: compares the body with the stored schema and makes the change, or with `dryRun`
    /// tells what it would be.
    func putSchema(_ request: Request) -> Outcome {
        do throws(RequestFault) {
            let parameters = try readSchemaParameters(request)
            let document = try readSchemaBody(request) { $0.readSchema($1) }
            let place: @Sendable (SchemaPlace) -> JSONPointer? = { document.place($0) }
            let proposal = SchemaProposal(
                document.schema, renames: document.renames,
                allowsDataLoss: parameters.allowsDataLoss)
            if parameters.isDryRun { return dryRun(proposal, place: place) }
            let tags = try EntityTags.read(.ifMatch, of: request)
            return changeSchema(place: place) { service, present throws(StoreError) in
                if let revision = document.revision, revision != present.revision {
                    throw .schemaRevision(current: present.revision)
                }
                try service.requireSchema(tags, present)
                return proposal
            } answer: { service, catalog in
                service.schemaResponse(200, catalog.schema) { $0.write(catalog.schema) }
            }
        } catch {
            return .respond(response(error))
        }
    }

    /// Hands a change of the schema to the writer and answers when it is durable.
    func changeSchema(
        place: @escaping @Sendable (SchemaPlace) -> JSONPointer?,
        proposal: @escaping @Sendable (RESTService, Schema) throws(StoreError) -> SchemaProposal?,
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
