import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectStore

/// Server-sent events that hold no object.
enum StreamSignal {
    /// The first event of every stream. `version` is where a client may resume: what it had, if it
    /// resumes, and the very beginning before it has got anything.
    static func hello(_ version: StoreVersion, withID: Bool, heartbeatSeconds: Int)
        -> HTTPServer.Bytes
    {
        HTTPServer.Bytes(
            "event: hello\n" + (withID ? "id: \(version)\n" : "")
                + "data: {\"cursor\":\"\(version)\",\"heartbeat\":\(heartbeatSeconds)}\n\n")
    }

    /// From here on events are live.
    static func upToDate(_ version: StoreVersion) -> HTTPServer.Bytes {
        HTTPServer.Bytes("event: upToDate\nid: \(version)\ndata: {\"cursor\":\"\(version)\"}\n\n")
    }

    /// What the client knows is void; a snapshot follows.
    static func reset(_ reason: ResetReason) -> HTTPServer.Bytes {
        HTTPServer.Bytes("event: reset\ndata: {\"reason\":\"\(reason.rawValue)\"}\n\n")
    }

    /// Keeps the connection and moves the point to resume from; browsers dispatch nothing.
    static func heartbeat(_ version: StoreVersion) -> HTTPServer.Bytes {
        HTTPServer.Bytes("id: \(version)\n\n")
    }

    /// The stream ends because its query is not valid any more.
    static func error(_ problem: RequestFault) -> HTTPServer.Bytes {
        error(code: problem.code, problem.detail)
    }

    /// The stream ends for a reason with a stable code.
    static func error(code: String, _ detail: String) -> HTTPServer.Bytes {
        let json = JSONWriter(ByteBuffer())
        json.raw("event: error\ndata: {\"code\":")
        json.string(code)
        json.raw(",\"detail\":")
        json.string(detail)
        json.raw("}\n\n")
        let (base, count) = json.buffer.takeStorage()
        return HTTPServer.Bytes(adopting: base, count: count)
    }
}

/// Why a stream begins anew.
enum ResetReason: String, Sendable {
    case cursorExpired = "cursor-expired"
    case schemaChanged = "schema-changed"
    case restored
}
