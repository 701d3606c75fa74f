import HTTPServer
extension RESTService {
    /// `GET …/elements?key=`: as `getElement`, for a map's key that no path carries.
    func getElementByKey(_ request: Request) -> Outcome { readElement(request, .parameter) }
}
