import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import HoldfastTransfer

// Shared parts of exports.
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
            .warning, "an export was ended at a limit, so that the data file does not grow",
            ("limit", .text(reason.rawValue)))
    }

    /// Whether a client wants an export as CSV rather than as NDJSON.
    ///
    /// - Throws: ``RequestFault`` `.notAcceptable` when it takes neither.
    func wantsCSV(_ request: Request) throws(RequestFault) -> Bool {
        try request.accepted(of: ["application/x-ndjson", "text/csv", "application/ndjson"])[0] == 1
    }

    /// `GET /v1/export`: the schema and every object, from one snapshot.
    func exportStore(_ request: Request) throws(RequestFault) -> Outcome {
        _ = try request.accepted(of: ["application/x-ndjson", "application/ndjson"])
        return try whenReadable(request) { pin throws(RequestFault) in
            .respond(try self.exportResponse(.store, of: pin, for: self.caller(request)))
        }
    }

    /// `GET …/export`: every object of a container as NDJSON or CSV, from one snapshot.
    func exportObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        let container = kind.container(request)
        let isCSV = try wantsCSV(request)
        let fields = request[query: "fields"]?.string
        return try whenReadable(request) { pin throws(RequestFault) in
            .respond(
                try self.exportResponse(
                    .objects(container, fields: fields, isCSV: isCSV), of: pin,
                    for: self.caller(request)
                ).with(.vary, "Accept"))
        }
    }
}

/// The body of an export, made while it is sent. The snapshot ends with the reply, also when the client leaves.
final class ExportSource: PullSource {
    private let export: Export
    private let service: RESTService
    private var piece = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Makes the body.
    init(_ export: Export, _ service: RESTService) {
        self.export = export
        self.service = service
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> Pull {
        if piece.isEmpty {
            do {
                piece = try export.pieces.next()
            } catch {
                // The connection is cut for that.
                _ = service.served.fault(error)
                return .failed
            }
        }
        guard let from = piece.baseAddress, let to = target.baseAddress, !piece.isEmpty else {
            return .end
        }
        let count = min(piece.count, target.count)
        memcpy(to, from, count)
        piece = UnsafeRawBufferPointer(rebasing: piece[count...])
        export.limit.count(count)
        return .bytes(count)
    }

    var heldByteCount: Int { export.pieces.heldByteCount }

    func close() { service.endExport(export) }
}
