import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `PATCH /v1/classes/{class}/objects/{id}`: changes the properties that a merge patch states, or
    /// applies a JSON patch; with `upsert=true` a merge patch creates an object that is not there.
    func patch(_ request: Request, _ source: KeySource) throws(RequestFault) -> Outcome {
        let isUpsert = try request.isUpsert()
        let type = try BodyType.read(request, isPatch: true)
        try request.requireAccepted("application/json")
        if type == .jsonPatch {
            return try write(request, .patched(ObjectAddress(request, source)), .update)
        }
        return try write(
            request, .named(ObjectAddress(request, source), isMerge: true),
            isUpsert ? .merge : .update)
    }
}
