import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/export`: every object of a class as NDJSON or CSV, from one
    /// snapshot.
    func exportObjects(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = Parameters(request)
            let isCSV = try wantsCSV(request)
            let name = request.parameter(0).string
            let fields = parameters["fields"]?.string
            // What can be checked at once is, so that a faulty request does not wait.
            _ = try objectClass(
                request, RequestScratch.current.names(of: store.catalog.rows, served))
            let version = try minVersion(parameters)
            return whenAtVersion(version) {
                .respond(
                    self.replying { () throws(RequestFault) in
                        try self.exportResponse(
                            .objects(className: name, fields: fields, isCSV: isCSV)
                        ).with(.vary, "Accept" as StaticString)
                    })
            }
        }
    }
}
