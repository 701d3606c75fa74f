import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/sections`: sections of objects as the projection shows them.
    func sectionProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerSections(request, of: request.projection)
    }
}
