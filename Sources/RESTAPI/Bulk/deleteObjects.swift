import HTTPServer

extension RESTService {
    /// `DELETE /v1/classes/{class}/objects?filter=`: deletes all objects that match, with the embedded
    /// objects they own and every link to them; all or none.
    func deleteObjects(_ request: Request) -> Outcome { changeMatches(request, .deletion) }
}
