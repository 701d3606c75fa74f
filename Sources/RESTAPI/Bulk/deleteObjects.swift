import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/classes/{class}/objects?filter=`: deletes all objects that match, with the embedded
    /// objects they own and every link to them; all or none.
    func deleteObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: ContainerKind.objectClass.container(request), nil)
    }
}
