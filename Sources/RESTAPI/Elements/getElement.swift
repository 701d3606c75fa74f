import HTTPServer
extension RESTService {
    /// `GET …/elements/{element}`: one element by its position, or one value of a map by its key.
    func getElement(_ request: Request) -> Outcome { readElement(request, .path) }
}
