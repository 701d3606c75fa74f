import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import StoreService

// What the operations on definitions of projections share.
extension RESTService {
    /// The definition that a path names.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    func definition(_ request: Request, _ catalog: Catalog) throws(RequestFault) -> Projection {
        let name = request.parameter(0).string
        guard let projection = catalog.projections.first(where: { $0.name == name }) else {
            throw .unknownProjection(name, catalog.rows)
        }
        return projection
    }

    /// A reply about definitions, which carries the tag of the schema that they belong to.
    func definitionResponse(
        _ status: UInt16, _ catalog: Catalog, _ write: (JSONWriter) -> Void
    ) -> Response {
        Response.json(status, write).with(entityTag: schemaTag(catalog.schema))
    }

    /// Answers a reader of definitions, with 304 when the schema is the one that it knows.
    ///
    /// - Throws: ``RequestFault`` `.malformed` when `If-None-Match` is.
    func readDefinitions(
        _ request: Request, _ catalog: Catalog, _ write: (JSONWriter) -> Void
    ) throws(RequestFault) -> Outcome {
        .respond(
            try .notModified(request, schemaTag(catalog.schema))
                ?? definitionResponse(200, catalog, write))
    }

    /// Hands a change of the projections to the writer and answers when it is durable.
    ///
    /// - `stated`: The projection that the body defines: what is wrong with it is a fault of the body.
    /// - Throws: ``RequestFault`` `.malformed` when `If-Match` is.
    func changeProjections(
        _ request: Request, stated: Projection?,
        _ make: @escaping @Sendable ([Projection]) throws(StoreError) -> [Projection]?,
        answer: @escaping @Sendable (Catalog) -> Response
    ) throws(RequestFault) -> Outcome {
        let tags = try EntityTags.read(.ifMatch, of: request)
        return .later { exchange in
            self.store.submit(
                ProjectionsWrite(self.store) { present throws(StoreError) in
                    try self.requireSchema(tags, present.schema)
                    return try make(present.projections)
                } completion: { result in
                    let version = self.store.version
                    exchange.respond {
                        switch result {
                        case .success(let catalog):
                            answer(catalog).with(.holdfastVersion, version.description)
                        case .failure(let error):
                            self.response(self.definitionProblem(error, stated))
                        }
                    }
                })
        }
    }

    private func definitionProblem(_ error: StoreError, _ stated: Projection?) -> RequestFault {
        if case .brokenProjections(let faults) = error, let stated {
            let own = faults.filter { $0.projection == stated.name }
            if !own.isEmpty { return RequestFault(projection: own.map { $0.inBody(stated) }) }
        }
        return schemaProblem(error) { _ in nil }
    }
}
