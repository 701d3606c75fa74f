import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET …/sections/changes`: the sections of a query's result, and their changes.
    func streamSections(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        try answerStream(request, streamTarget(request, kind), result: try sections(request))
    }

    /// The sections that a request states.
    func sections(_ request: Request) throws(RequestFault) -> ResultForm {
        .sections(
            by: request[query: "by"]?.string, sort: request[query: "sort"]?.string,
            limit: try request.count("limit"), objectCount: try request.count("objects"))
    }
}
