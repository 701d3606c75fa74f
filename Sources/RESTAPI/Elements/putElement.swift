import HTTPServer
extension RESTService {
    /// `PUT …/elements/{element}`: replaces an element of a list, or puts an entry into a map.
    func putElement(_ request: Request) -> Outcome { editElement(request, .put, .path) }
}
