import HTTPServer
extension RESTService {
    /// `PUT …/elements?key=`: as `putElement`, for a map's key that no path carries.
    func putElementByKey(_ request: Request) -> Outcome { editElement(request, .put, .parameter) }
}
