import HTTPServer
import ObjectStore

extension RESTService {
    /// `PATCH /v1/classes/{class}/objects/{id}`: changes the properties that a merge patch states; with
    /// `upsert=true` creates an object that is not there.
    func patchObject(_ request: Request) -> Outcome { patch(request, .path) }

    /// `patchObject` by either kind of key.
    func patch(_ request: Request, _ source: KeySource) -> Outcome {
        answering { () throws(Problem) in
            let parameters = try Parameters(request, known: source.parameters(["upsert"]))
            let isUpsert = try parameters.flag("upsert")
            _ = try BodyType.read(request, isPatch: true)
            try BodyType.requireJSONAccepted(request)
            return writeObject(
                request, source, mode: isUpsert ? .merge : .update, isMerge: true,
                precondition: try Precondition(request), preferences: try Preferences(request))
        }
    }
}
