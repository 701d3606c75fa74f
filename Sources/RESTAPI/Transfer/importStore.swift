import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/import`: takes what `GET /v1/export` gave, of this store or another, while it comes in.
    func importStore(_ request: Request, _ upload: Upload) throws(RequestFault) -> UploadStart {
        var importOptions = try importOptions(request)
        let audit = auditLine(request)
        importOptions.noteSchemaChange = { audit.write() }
        try requireNDJSON(request)
        try request.requireAccepted("application/json")
        return try startImport(request, .store, importOptions, upload)
    }
}
