import HTTPServer
extension RESTService {
    /// `PATCH /v1/projections/{projection}/objects/{id}`: changes an object, and those that its paths lead
    /// to, by a merge patch in projected names; all or nothing.
    func patchProjectedObject(_ request: Request) -> Outcome {
        patchProjectedObject(request, .path)
    }
}
