import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/tokens`: the tokens of the store, by name.
    func listTokens(_ request: Request) throws(RequestFault) -> Outcome {
        try answerList(request, "tokens") { stored throws(RequestFault) in
            try stored.read().tokens
        } write: {
            $0.write(to: &$1)
        }
    }
}
