import HTTPServer
extension RESTService {
    /// `PUT …/elements/{element}/{inner}/…`: replaces an element of a list inside a `mixed` value, or puts
    /// an entry into a map there.
    func putInnerElement(_ request: Request) -> Outcome { editElement(request, .put, .inner) }
}
