import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE …/objects?filter=`: deletes all objects that match, with the embedded
    /// objects they own and every link to them; all or none.
    func deleteObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: kind.container(request), nil)
    }
}
