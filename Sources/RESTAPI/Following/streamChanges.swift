import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/changes`: what happens in the whole store.
    func streamChanges(_ request: Request) throws(RequestFault) -> Outcome {
        try answerStream(request, .store)
    }
}
