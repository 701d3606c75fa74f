import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/access`: the access document, with what its author should know.
    func getAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        guard let (revision, document, warnings) = try access.document() else {
            throw .noAccessDocument
        }
        return .respond(
            try .notModified(request, accessTag(revision))
                ?? accessResponse(revision, document, warnings))
    }
}
