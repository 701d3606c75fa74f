import HTTPServer
import ObjectStore

// What the exports share.
extension RESTService {
    /// The reply with an export's text, made while it is sent.
    ///
    /// - `state`: Of the snapshot that the export is made from.
    func exportResponse(
        _ type: ContentType, _ cursor: any ExportPieces, _ state: StoreState
    ) -> Response {
        var response = Response(
            200, type, pulling: ExportSource(cursor) { _ = self.problem($0) })
        response.headers.addStoreVersion(
            StoreVersion(epoch: state.epoch, number: state.version))
        return response
    }

    /// Refuses a client that does not take NDJSON.
    func requireNDJSONAccepted(_ request: Request) throws(Problem) {
        guard let accept = request.header(.accept), !accept.isEmpty else { return }
        if accept.listContains("application/x-ndjson") || accept.listContains("*/*")
            || accept.listContains("application/*") || accept.listContains("application/ndjson")
        {
            return
        }
        throw Problem(
            406, "not-acceptable",
            "This operation answers application/x-ndjson, which Accept leaves out.")
    }
}
