import HTTPServer
extension RESTService {
    /// `GET`, `HEAD /v1/classes/{class}/object?key=`: one object, for keys that no path carries.
    func getObjectByKey(_ request: Request) -> Outcome { readObject(request, .parameter) }
}
