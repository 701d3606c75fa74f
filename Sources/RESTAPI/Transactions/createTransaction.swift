import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `POST /v1/transactions`: several operations, all or none.
    func createTransaction(_ request: Request) throws(RequestFault) -> Outcome {
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        let preferences = try Preferences(request)
        var write = TransactionWrite(request.bodyBytes, in: served)
        write.form = preferences.form
        return try takeIn(request, preferences, write)
    }
}
