import HTTPServer

extension RESTService {
    /// `DELETE /v1/schema/classes/{class}`: refused until migrations that drop classes are there.
    func deleteClass(_ request: Request) -> Outcome {
        do {
            _ = try Parameters(request, known: ["dryRun", "allowDataLoss"])
        } catch {
            return .respond(response(error))
        }
        let schema = store.catalog.schema
        let name = request.parameter(0).string
        guard schema.objectClass(named: name) != nil else {
            return .respond(response(.unknownClass(name, store.catalog.rows)))
        }
        return .respond(
            response(
                Problem(
                    409, "unsupported-migration",
                    "Dropping a class is not supported yet; '\(name)' and its objects stay. Its "
                        + "objects can be deleted.")))
    }
}
