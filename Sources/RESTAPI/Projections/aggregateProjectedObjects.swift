import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/aggregate`: what `aggregateObjects` says of the class.
    func aggregateProjectedObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerAggregate(request, of: request.projection)
    }
}
