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

    /// `PUT` of a projected object by either kind of key: replaces the part of the object that the projection shows.
    func putProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        _ = try BodyType.read(request)
        return try writeProjected(request, .whole, ObjectAddress(request, source))
    }

    /// `DELETE` of a projected object by either kind of key: deletes the whole object, and not only the part that the projection shows.
    func deleteProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        try takeIn(
            request,
            ProjectedWrite(
                .deleted, ObjectAddress(request, source),
                PatchBody(request.bodyBytes, isJSONPatch: false), try Precondition(request),
                for: caller(request), in: served))
    }

    /// `POST /v1/projections/{projection}/objects`: creates an object in projected names, or an array of them atomically.
    func createProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        let mode = try createMode(request)
        _ = try BodyType.read(request)
        let isArray = try beginsArray(request)
        return try writeProjected(
            request, .new(isArray: isArray, mode),
            ObjectAddress(request.className, .missing, of: request))
    }

    private func writeProjected(
        _ request: Request, _ subject: ProjectedWrite.Subject, _ address: ObjectAddress
    ) throws(RequestFault) -> Outcome {
        let precondition = try Precondition(request)
        try request.requireAccepted("application/json")
        var write = ProjectedWrite(
            subject, address, PatchBody(request.bodyBytes, isJSONPatch: false), precondition,
            for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try takeIn(request, write)
    }

    /// `PATCH` of a projected object by either kind of key; with `upsert=true` a merge patch creates an object that is not there.
    func patchProjectedObject(_ request: Request, _ source: KeySource) throws(RequestFault)
        -> Outcome
    {
        try patchProjected(request, request.isUpsert() ? .merged : .object, source)
    }
}

extension Request {
    /// The patch in the body.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedPatchType` when it is none by its media type.
    func patchBody() throws(RequestFault) -> PatchBody {
        PatchBody(bodyBytes, isJSONPatch: try BodyType.read(self, isPatch: true) == .jsonPatch)
    }

    /// Whether the patch in the body creates an object that is not there.
    ///
    /// - Throws: ``RequestFault`` if it is no merge patch, or has no known media type.
    func isUpsert() throws(RequestFault) -> Bool {
        guard try flag("upsert") else { return false }
        guard try BodyType.read(self, isPatch: true) != .jsonPatch else {
            throw .parameter(
                "upsert",
                "A JSON patch changes an object that is there; send a merge patch with 'upsert'.")
        }
        return true
    }
}
