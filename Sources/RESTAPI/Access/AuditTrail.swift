import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService
import Synchronization

/// The newest audit lines since the service started, beside the log, which has all of them. Thread-safe.
///
/// Memory: at most ``lineCountMax`` lines, of which the longest part is the path of a request.
final class AuditTrail: Sendable {
    /// A line.
    struct Line: Sendable {
        /// The time at which the change was durable.
        let time: Timestamp
        /// The members of the line in the log.
        let fields: [(name: StaticString, text: String)]
    }

    /// The lines that are kept.
    static let lineCountMax = 200

    private let logger: Logger
    /// The lines, the oldest first.
    private let lines = Mutex<[Line]>([])

    /// Makes a trail without lines, beside a log.
    init(_ logger: Logger) { self.logger = logger }

    /// Writes a line to the log, and keeps it.
    func write(_ fields: [(name: StaticString, text: String)]) {
        logger.log(.notice, "audit", fields.map { ($0.name, .text($0.text)) })
        let line = Line(time: .now(), fields: fields)
        lines.withLock { lines in
            if lines.count == Self.lineCountMax { lines.removeFirst() }
            lines.append(line)
        }
    }

    /// The lines, the newest first.
    var newest: [Line] { lines.withLock { $0.reversed() } }
}

extension RESTService {
    /// `GET /v1/audit`: the newest changes of tokens, accounts, access, the schema and projections.
    func listAuditLines(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let lines = auditTrail.newest
        return .respond(
            Response.object(200) { object in
                object.member("lines").objects(of: lines) { line, entry in
                    entry.member("time").string(line.time.description)
                    for field in line.fields { entry.member(field.name).string(field.text) }
                }
            })
    }
}
