import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/import`: takes what `GET /v1/export` gave, of this store or another, while it comes in.
    func importStore(_ request: Request, _ upload: Upload) throws(RequestFault) -> UploadStart {
        let importOptions = try importOptions(request)
        try requireNDJSON(request)
        try request.requireAccepted("application/json")
        return try startImport(request, .store, importOptions, upload)
    }
}
