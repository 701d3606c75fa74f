import HTTPServer
import ObjectJSON
import StoreService

extension RESTService {
    /// `POST /v1/import`: takes what `GET /v1/export` gave, of this store or another, while it comes in.
    func importStore(_ request: Request, _ upload: Upload) -> UploadStart {
        do throws(RequestFault) {
            let parameters = Parameters(request)
            var importOptions = transfers.importOptions
            importOptions.mode = try createMode(parameters)
            try requireNDJSON(request)
            try request.requireAccepted("application/json")
            try IdempotencyKey.refuse(request)
            return try startImport(.store, importOptions, upload)
        } catch {
            return .refuse(response(error))
        }
    }
}
