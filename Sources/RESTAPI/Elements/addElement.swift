import HTTPServer
extension RESTService {
    /// `POST …/properties/{property}/elements`: adds an element to a list, at its end or before the position
    /// `at`, or to a set.
    func addElement(_ request: Request) -> Outcome { editElement(request, .add, .collection) }
}
