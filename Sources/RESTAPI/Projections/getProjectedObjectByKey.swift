import HTTPServer
extension RESTService {
    /// `GET /v1/projections/{projection}/object?key=`: the same for a key that no path can carry.
    func getProjectedObjectByKey(_ request: Request) -> Outcome {
        readObject(request, .parameter, isProjected: true)
    }
}
