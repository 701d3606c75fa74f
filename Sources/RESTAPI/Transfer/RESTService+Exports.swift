import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

// What the exports share.
extension RESTService {
    /// The reply with an export's text, made while it is sent.
    func exportResponse(
        _ content: ExportContent, of pin: SnapshotPin?, for caller: Caller
    ) throws(RequestFault) -> Response {
        let export = try transfers.beginExport(content, of: pin, for: caller)
        let source = ExportSource(export, self)
        var type = ContentType.ndjson
        if case .objects(_, _, isCSV: true) = content { type = .csv }
        let limit = export.limit
        var response = Response(
            200, type, pulling: source, until: { [transfers] in transfers.isOverdue(limit) })
        response.headers.addStoreVersion(export.version)
        return try response.under(pin, served)
    }

    /// Ends an export; the log says so where it was cut.
    func endExport(_ export: Export) {
        transfers.end(export)
        guard let reason = export.limit.reason else { return }
        logger.log(
            .warning, "an export was cut, so that the data file does not grow behind its client",
            ("limit", .text(reason.rawValue)))
    }

    /// Whether a client wants an export as CSV rather than as NDJSON.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes neither.
    func wantsCSV(_ request: Request) throws(RequestFault) -> Bool {
        try request.accepted(of: ["application/x-ndjson", "text/csv", "application/ndjson"])[0] == 1
    }
}
