import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/export`: every object as the projection shows it, from one
    /// snapshot.
    func exportProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerExport(request, of: request.projection)
    }
}
