import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/classes/{class}/import`: takes NDJSON, one object a line, CSV or MongoDB's extended JSON,
    /// while it comes in.
    func importObjects(_ request: Request, _ upload: Upload) throws(RequestFault) -> UploadStart {
        var importOptions = try importOptions(request)
        importOptions.isAtomic = try request.flag("atomic")
        importOptions.format = try importFormat(request)
        try readForm(request, &importOptions)
        try request.requireAccepted("application/json")
        return try startImport(
            request, .objects(className: request.parameter(0).string), importOptions, upload)
    }
}
