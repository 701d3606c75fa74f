import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/projections/{projection}/sections/changes`: what `streamSections` says of the class.
    func streamProjectedSections(_ request: Request) throws(RequestFault) -> Outcome {
        try answerStream(
            request, .projection(name: request.parameter(0).string, key: nil),
            result: try sections(request))
    }
}
