import HTTPServer
extension RESTService {
    /// `POST …/elements/{element}`: adds an element to the list that an element of kind `mixed` is,
    /// at its end or before the position `at`.
    func addToElement(_ request: Request) -> Outcome { editElement(request, .add, .path) }
}
