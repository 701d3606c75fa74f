import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/changes`: what happens to what a projection shows of the objects
    /// that satisfy a filter.
    func streamProjectionChanges(_ request: Request) throws(RequestFault) -> Outcome {
        try answerStream(request, .projection(name: request.parameter(0).string, key: nil))
    }
}
