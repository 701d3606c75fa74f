import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

extension RESTService {
    /// `GET …/export`: every object of a container as NDJSON or CSV, from one snapshot.
    func exportObjects(
        _ request: Request, _ kind: ContainerKind
    ) throws(RequestFault) -> Outcome {
        let container = kind.container(request)
        let isCSV = try wantsCSV(request)
        let fields = request[query: "fields"]?.string
        return try whenReadable(request) { pin throws(RequestFault) in
            .respond(
                try self.exportResponse(
                    .objects(container, fields: fields, isCSV: isCSV), of: pin,
                    for: self.caller(request)
                ).with(.vary, "Accept"))
        }
    }
}
