import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/sections`: the result of a query, divided by what its objects have in
    /// common.
    func sectionObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerSections(request, of: request.ofClass)
    }

    /// Answers with sections that are stated in the URL.
    func answerSections(
        _ request: Request, of container: ObjectContainer
    ) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return try answerPage(
            of: .sections(
                container, by: request[query: "by"]?.string,
                objectCount: try request.count("objects")),
            request)
    }
}
