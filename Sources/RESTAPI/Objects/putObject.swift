import HTTPServer
import ObjectJSON
import ObjectStore

extension RESTService {
    /// `PUT /v1/classes/{class}/objects/{id}`: creates an object or replaces it. Where the class has no
    /// primary key it only replaces.
    func put(_ request: Request, _ source: KeySource) -> Outcome {
        answering { () throws(RequestFault) in
            _ = try Parameters(request, known: source.parameters([]))
            _ = try BodyType.read(request)
            try request.requireAccepted("application/json")
            return writeObject(
                request, source, mode: .replace, isMerge: false,
                precondition: try Precondition(request), preferences: try Preferences(request))
        }
    }
}
