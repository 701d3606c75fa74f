import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `POST /v1/classes/{class}/import`: takes NDJSON, one object a line, or CSV, while it
    /// comes in.
    func importObjects(_ request: Request, _ upload: Upload) throws(RequestFault) -> UploadStart {
        var importOptions = transfers.importOptions
        importOptions.mode = try createMode(request)
        importOptions.isAtomic = try request.flag("atomic")
        importOptions.format = try importFormat(request)
        try request.requireAccepted("application/json")
        try IdempotencyKey.refuse(request)
        return try startImport(
            .objects(className: request.parameter(0).string), importOptions, upload)
    }
}
