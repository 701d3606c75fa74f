import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/aggregate/changes`: what `streamAggregate` says of the class.
    func streamProjectedAggregate(_ request: Request) throws(RequestFault) -> Outcome {
        try answerStream(
            request, .projection(name: request.parameter(0).string, key: nil),
            result: .aggregate(aggregateText(request)))
    }
}
