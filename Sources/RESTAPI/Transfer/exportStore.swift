import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/export`: the schema and every object, from one snapshot.
    func exportStore(_ request: Request) throws(RequestFault) -> Outcome {
        _ = try request.accepted(of: ["application/x-ndjson", "application/ndjson"])
        return try whenReadable(request) { pin throws(RequestFault) in
            .respond(try self.exportResponse(.store, of: pin, for: self.caller(request)))
        }
    }
}
