import HTTPServer
extension RESTService {
    /// `GET …/elements/{element}/{inner}/…`: what a position or key, and more of them, lead to inside a
    /// `mixed` value.
    func getInnerElement(_ request: Request) -> Outcome { readElement(request, .inner) }
}
