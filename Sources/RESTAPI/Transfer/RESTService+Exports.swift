import HTTPServer
import ObjectJSON
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

    /// Whether a client wants an export as CSV: when it names that and not NDJSON.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes neither.
    func wantsCSV(_ request: Request) throws(RequestFault) -> Bool {
        guard let accept = request.header(.accept), accept.listContains("text/csv"),
            !accept.listContains("application/x-ndjson")
        else {
            try requireNDJSONAccepted(request, orElse: ", or text/csv")
            return false
        }
        return true
    }

    /// Refuses a client that does not take NDJSON.
    ///
    /// - `orElse`: What else the operation answers, for the refusal.
    func requireNDJSONAccepted(_ request: Request, orElse: String = "") throws(RequestFault) {
        guard let accept = request.header(.accept), !accept.isEmpty else { return }
        if accept.listContains("application/x-ndjson") || accept.listContains("*/*")
            || accept.listContains("application/*") || accept.listContains("application/ndjson")
        {
            return
        }
        throw RequestFault(
            .notAcceptable, "not-acceptable",
            "This operation answers application/x-ndjson\(orElse), which Accept leaves out.")
    }
}
