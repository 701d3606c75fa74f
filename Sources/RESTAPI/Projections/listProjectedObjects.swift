import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/objects`: a page of a query, each object as the projection shows
    /// it. The query is stated in the names of the class.
    func listProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerList(request, of: request.projection)
    }
}
