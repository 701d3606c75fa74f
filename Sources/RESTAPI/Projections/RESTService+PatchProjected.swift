import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// Takes in a merge patch in projected names: `patchProjectedObject`, the same by key, and
    /// `patchProperty`.
    func patchProjected(
        _ request: Request, _ subject: ProjectedWrite.Subject, _ source: KeySource
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        guard let type = try? BodyType.read(request, isPatch: true), type != .jsonPatch else {
            throw .mergePatchOnly
        }
        try request.requireAccepted("application/json")
        let preferences = try Preferences(request)
        var write = ProjectedWrite(
            subject, ObjectAddress(request, source), request.bodyBytes, precondition, in: served)
        write.form = preferences.form
        return try takeIn(request, preferences, write)
    }

    /// `PATCH` of a projected object by either kind of key.
    func patchProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        try patchProjected(request, .object, source)
    }
}

extension RequestFault {
    /// A JSON patch where only merge patches are taken.
    fileprivate static var mergePatchOnly: RequestFault {
        RequestFault(
            .unsupportedPatchType, "unsupported-media-type",
            "A projected object is changed by a merge patch: application/merge-patch+json or "
                + "application/json.",
            alternatives: "application/merge-patch+json, application/json")
    }
}
