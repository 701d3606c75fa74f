import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/export`: the schema and every object, from one snapshot.
    func exportStore(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = Parameters(request)
            _ = try request.accepted(of: ["application/x-ndjson", "application/ndjson"])
            return whenAtVersion(try minVersion(parameters)) {
                .respond(
                    self.replying { () throws(RequestFault) in try self.exportResponse(.store) })
            }
        }
    }
}
