import HTTPServer
extension RESTService {
    /// `DELETE …/elements/{element}/{inner}/…`: takes an element from a list inside a `mixed` value, or
    /// an entry from a map there.
    func deleteInnerElement(_ request: Request) -> Outcome { editElement(request, .delete, .inner) }
}
