import HTTPServer
import ObjectJSON

extension RESTService {
    /// `PATCH /v1/classes/{class}/objects?filter=`: changes all objects that match, by a merge patch or a
    /// JSON patch that is applied to each; all or none.
    func patchObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: request.ofClass, .patch(request.patchBody()))
    }
}
