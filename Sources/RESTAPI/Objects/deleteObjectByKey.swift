import HTTPServer
extension RESTService {
    /// `DELETE /v1/classes/{class}/object?key=`: `deleteObject` for keys that no path carries.
    func deleteObjectByKey(_ request: Request) -> Outcome { delete(request, .parameter) }
}
