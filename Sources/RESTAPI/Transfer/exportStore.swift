import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    /// `GET /v1/export`: the schema and every object, from one snapshot.
    func exportStore(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(request, known: ["minVersion"])
            _ = try request.accepted(of: ["application/x-ndjson", "application/ndjson"])
            return whenAtVersion(try minVersion(parameters)) {
                .respond(self.replying { () throws(RequestFault) in try self.exportStore() })
            }
        }
    }

    private func exportStore() throws(RequestFault) -> Response {
        let transaction = try served.stored { () throws(StoreError) in try store.read() }
        do throws(RequestFault) {
            let state = try served.stored { () throws(StoreError) in try transaction.state() }
            let cursor = StoreExportCursor(transaction, names: served.names(of: transaction.rows))
            return exportResponse(.ndjson, cursor, state)
        } catch {
            transaction.close()
            throw error
        }
    }
}
