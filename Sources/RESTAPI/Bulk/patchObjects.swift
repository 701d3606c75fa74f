import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `PATCH …/objects?filter=`: changes all objects that match, by a merge patch or a JSON patch that is applied to
    /// each, in the names of the container; all or none.
    func patchObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: kind.container(request), request.patchBody())
    }
}
