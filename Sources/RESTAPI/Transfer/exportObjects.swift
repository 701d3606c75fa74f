import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/export`: every object of a class as NDJSON or CSV, from one
    /// snapshot.
    func exportObjects(_ request: Request) throws(RequestFault) -> Outcome {
        let isCSV = try wantsCSV(request)
        let name = request.parameter(0).string
        let fields = request[query: "fields"]?.string
        // What can be checked at once is, so that a faulty request does not wait.
        _ = try objectClass(
            request, RequestScratch.current.names(of: store.catalog.rows, served))
        return try whenReadable(request) { pin throws(RequestFault) in
            .respond(
                try self.exportResponse(
                    .objects(className: name, fields: fields, isCSV: isCSV), of: pin
                ).with(.vary, "Accept" as StaticString))
        }
    }
}
