import HTTPServer
extension RESTService {
    /// `PATCH /v1/projections/{projection}/object?key=`: the same for a key that no path can carry.
    func patchProjectedObjectByKey(_ request: Request) -> Outcome {
        patchProjectedObject(request, .parameter)
    }
}
