import HTTPServer
import ObjectJSON

extension RESTService {
    /// `GET /v1/changes`: what happens in the whole store.
    func streamChanges(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in try answerStream(request, .store) }
    }
}
