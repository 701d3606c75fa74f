import HTTPServer
extension RESTService {
    /// `PATCH /v1/classes/{class}/object?key=`: `patchObject` for keys that no path carries.
    func patchObjectByKey(_ request: Request) -> Outcome { patch(request, .parameter) }
}
