import HTTPServer
extension RESTService {
    /// `GET`, `HEAD /v1/classes/{class}/objects/{id}`: one object.
    func getObject(_ request: Request) -> Outcome { readObject(request, .path) }
}
