import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// `GET /v1/classes/{class}/export`: every object of a class as NDJSON or CSV, from one
    /// snapshot.
    func exportObjects(_ request: Request) throws(RequestFault) -> Outcome {
        try answerExport(request, of: request.ofClass)
    }

    /// Answers with every object of a container as NDJSON or CSV.
    func answerExport(
        _ request: Request, of container: ObjectContainer
    ) throws(RequestFault) -> Outcome {
        let isCSV = try wantsCSV(request)
        let fields = request[query: "fields"]?.string
        return try whenReadable(request) { pin throws(RequestFault) in
            .respond(
                try self.exportResponse(
                    .objects(container, fields: fields, isCSV: isCSV), of: pin
                ).with(.vary, "Accept" as StaticString))
        }
    }
}
