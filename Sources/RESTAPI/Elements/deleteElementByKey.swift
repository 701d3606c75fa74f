import HTTPServer
extension RESTService {
    /// `DELETE …/elements?key=` takes an entry from a map; `DELETE …/elements?value=` takes a value from a set,
    /// or each that equals it from a list.
    func deleteElementByKey(_ request: Request) -> Outcome {
        editElement(request, .delete, .parameter)
    }
}
