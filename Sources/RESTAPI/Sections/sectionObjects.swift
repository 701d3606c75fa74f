import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `GET …/sections`: the result of a query, divided by a value that its objects have in common.
    func sectionObjects(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(
            of: .sections(
                kind.container(request), by: request[query: "by"]?.string,
                objectCount: try request.count("objects")),
            request)
    }
}
