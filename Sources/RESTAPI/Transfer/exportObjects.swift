import HTTPServer
import ObjectStore
import Rows

extension RESTService {
    /// `GET /v1/classes/{class}/export`: every object of a class as NDJSON, from one snapshot.
    func exportObjects(_ request: Request) -> Outcome {
        answering { () throws(Problem) in
            let parameters = try Parameters(request, known: ["fields", "minVersion"])
            try requireNDJSONAccepted(request)
            let name = request.parameter(0).string
            let fields = parameters["fields"]?.string
            // What can be checked at once is, so that a faulty request does not wait.
            _ = try objectClass(request, RequestScratch.current.names(of: store.catalog.rows, self))
            let version = try minVersion(parameters)
            return whenAtVersion(version) {
                .respond(self.replying { () throws(Problem) in try self.export(name, fields) })
            }
        }
    }

    private func export(_ name: String, _ fields: String?) throws(Problem) -> Response {
        let transaction = try stored { () throws(StoreError) in try store.read() }
        do throws(Problem) {
            let names = names(of: transaction.rows)
            guard let index = transaction.rows.classIndex[name] else {
                throw .unknownClass(name, transaction.rows)
            }
            let selection =
                fields == nil
                ? names.classes[index].everything
                : try FieldSelection(
                    fields: fields, expand: nil, of: transaction.rows.classes[index], names: names)
            let state = try stored { () throws(StoreError) in try transaction.state() }
            let cursor = ExportCursor(transaction, names: names, selection: selection)
            return exportResponse(.ndjson, cursor, state)
        } catch {
            transaction.close()
            throw error
        }
    }
}
