import HTTPServer
extension RESTService {
    /// `GET /v1/projections/{projection}/objects/{id}`: one object as the projection shows it.
    func getProjectedObject(_ request: Request) -> Outcome {
        readObject(request, .path, isProjected: true)
    }
}
