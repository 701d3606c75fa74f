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
            let parameters = try Parameters(request, known: ["fields", "minVersion"])
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
                        try self.export(name, fields, isCSV: isCSV)
                    })
            }
        }
    }

    private func export(
        _ name: String, _ fields: String?, isCSV: Bool
    ) throws(RequestFault) -> Response {
        let transaction = try served.stored { () throws(StoreError) in try store.read() }
        do throws(RequestFault) {
            let names = served.names(of: transaction.rows)
            guard let index = transaction.rows.classIndex[name] else {
                throw .unknownClass(name, transaction.rows)
            }
            let selection =
                fields == nil
                ? names.classes[index].everything
                : try FieldSelection(
                    fields: fields, expand: nil, of: transaction.rows.classes[index], names: names)
            let state = try served.stored { () throws(StoreError) in try transaction.state() }
            let cursor: any ExportPieces =
                isCSV
                ? try CSVExportCursor(transaction, names: names, selection: selection)
                : ExportCursor(transaction, names: names, selection: selection)
            return exportResponse(isCSV ? .csv : .ndjson, cursor, state)
                .with(.vary, "Accept" as StaticString)
        } catch {
            transaction.close()
            throw error
        }
    }
}
