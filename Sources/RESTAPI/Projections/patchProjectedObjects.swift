import HTTPServer
import ObjectJSON

extension RESTService {
    /// `PATCH /v1/projections/{projection}/objects?filter=`: changes all objects that match, by a patch in projected
    /// names that is applied to each; all or none.
    func patchProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: request.projection, .patch(request.patchBody()))
    }
}
