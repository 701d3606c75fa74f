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

    /// Whether a client wants an export as CSV rather than as NDJSON.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes neither.
    func wantsCSV(_ request: Request) throws(RequestFault) -> Bool {
        try request.accepted(of: ["application/x-ndjson", "text/csv", "application/ndjson"])[0] == 1
    }
}
