import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/transactions`: several operations, all or none.
    func createTransaction(_ request: Request) throws(RequestFault) -> Outcome {
        _ = try BodyType.read(request)
        try request.requireAccepted("application/json")
        var write = TransactionWrite(request.bodyBytes, for: caller(request), in: served)
        write.form = try Preferences(request).form
        return try takeIn(request, write)
    }
}
