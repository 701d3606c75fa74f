import HTTPServer
import ObjectJSON
import ObjectStore

extension RESTService {
    /// `POST /v1/classes/{class}/import`: takes NDJSON, one object a line, or CSV, while it
    /// comes in.
    func importObjects(_ request: Request, _ upload: Upload) -> UploadStart {
        do throws(RequestFault) {
            let parameters = try Parameters(request, known: ["mode", "atomic"])
            var importOptions = try importOptions(parameters)
            importOptions.isAtomic = try parameters.flag("atomic")
            let names = RequestScratch.current.names(of: store.catalog.rows, self)
            let rowClass = try creatableClass(request, names)
            try Self.requireCreation(rowClass, mode: importOptions.mode)
            importOptions.format = try importFormat(request)
            try request.requireAccepted("application/json")
            try IdempotencyKey.refuse(request)
            return try startImport(
                .objects(className: rowClass.definition.name), importOptions, upload)
        } catch {
            return .refuse(response(error))
        }
    }
}
