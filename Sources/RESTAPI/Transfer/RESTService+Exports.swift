import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

// What the exports share.
extension RESTService {
    /// The reply with an export's text, made while it is sent.
    ///
    /// - `state`: Of the snapshot that the export is made from.
    func exportResponse(
        _ type: ContentType, _ cursor: any ExportPieces, _ state: StoreState
    ) -> Response {
        let limit = exports.open(served.limits, storedByteCount: store.storedByteCount ?? 0)
        let source = ExportSource(cursor, limit, in: exports) { _ = self.served.fault($0) }
        var response = Response(200, type, pulling: source, until: { self.isOverdue(limit) })
        response.headers.addStoreVersion(
            StoreVersion(epoch: state.epoch, number: state.version))
        return response
    }

    /// Whether an export has taken too long; says so in the log.
    private func isOverdue(_ limit: ExportLimit) -> Bool {
        let reason = limit.passed(
            at: OpenExports.seconds(), storedByteCount: store.storedByteCount ?? 0)
        guard let reason else { return false }
        logger.log(
            .warning, "an export was cut, so that the data file does not grow behind its client",
            ("limit", .text(reason.rawValue)))
        return true
    }

    /// Whether a client wants an export as CSV rather than as NDJSON.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes neither.
    func wantsCSV(_ request: Request) throws(RequestFault) -> Bool {
        try request.accepted(of: ["application/x-ndjson", "text/csv", "application/ndjson"])[0] == 1
    }
}
