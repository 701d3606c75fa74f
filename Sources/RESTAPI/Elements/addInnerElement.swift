import HTTPServer
extension RESTService {
    /// `POST …/elements/{element}/{inner}/…`: adds an element to a list inside a `mixed` value, at its
    /// end or before the position `at`.
    func addInnerElement(_ request: Request) -> Outcome { editElement(request, .add, .inner) }
}
