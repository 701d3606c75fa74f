import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// Takes in a patch in projected names: `patchProjectedObject`, the same by key, and `patchProperty`.
    func patchProjected(
        _ request: Request, _ subject: ProjectedWrite.Subject, _ source: KeySource
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        let body = try request.patchBody()
        try request.requireAccepted("application/json")
        var write = ProjectedWrite(
            subject, ObjectAddress(request, source), body, precondition, for: caller(request),
            in: served)
        write.form = try Preferences(request).form
        return try takeIn(request, write)
    }

    /// `PATCH` of a projected object by either kind of key.
    func patchProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        try patchProjected(request, .object, source)
    }
}

extension Request {
    /// The patch in the body.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedPatchType` when it is none by its media type.
    func patchBody() throws(RequestFault) -> PatchBody {
        PatchBody(bodyBytes, isJSONPatch: try BodyType.read(self, isPatch: true) == .jsonPatch)
    }
}
