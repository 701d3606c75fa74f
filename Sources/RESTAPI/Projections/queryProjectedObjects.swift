import HTTPServer
import ObjectJSON

extension RESTService {
    /// `POST /v1/projections/{projection}/query`: a page of a query stated in a body.
    func queryProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerQuery(request, of: request.projection)
    }
}
