import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `POST /v1/transactions`: several operations, all or none.
    func createTransaction(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            _ = try BodyType.read(request)
            try request.requireAccepted("application/json")
            guard try Precondition(request) == .none else {
                throw RequestFault(
                    .malformed, "invalid-header",
                    "If-Match and If-None-Match are about one object; give each operation its 'ifMatch'."
                )
            }
            let preferences = try Preferences(request)
            var write = TransactionWrite(request.bodyBytes, in: served)
            write.form = preferences.form
            return takeIn(request, preferences, write)
        }
    }
}
