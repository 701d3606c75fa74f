import HTTPServer
extension RESTService {
    /// `PUT /v1/classes/{class}/object?key=`: `putObject` for keys that no path carries.
    func putObjectByKey(_ request: Request) -> Outcome { put(request, .parameter) }
}
