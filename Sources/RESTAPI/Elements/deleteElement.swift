import HTTPServer
extension RESTService {
    /// `DELETE …/elements/{element}`: takes an element from a list, or an entry from a map.
    func deleteElement(_ request: Request) -> Outcome { editElement(request, .delete, .path) }
}
