import Bytes
import JSON

/// Where the body of a reply ends (RFC 9112, section 6.3).
enum Framing {
    /// There is none, and nothing says how long it would be.
    case none
    case length(Int)
    case chunks
    /// With the connection.
    case connection
}

/// Memory in which replies are written, one after the other. One thread.
final class ReplyBuffer {
    private let buffer = ByteBuffer(capacity: 32 << 10)
    /// Writes numbers into it, whose digits are those of JSON.
    private let numbers: JSONWriter
    private var date = DateField()

    /// An empty buffer.
    init() { numbers = JSONWriter(buffer) }

    /// What was written since the last head began; valid until the next one.
    var bytes: UnsafeRawBufferPointer { buffer.bytes }

    /// Appends a body behind its head.
    func append(_ body: Bytes) { buffer.append(body.buffer) }

    /// Begins a reply: writes the status line and the fields, and the empty line behind them.
    ///
    /// - Parameters:
    ///   - reply: Its status, type and fields.
    ///   - fields: What follows from the request.
    ///   - request: Nil for a connection whose request was not read.
    ///   - framing: Where the body ends.
    ///   - connection: What the client is told of the connection; nil for what it expects.
    func begin(
        _ reply: Response, _ fields: Headers, for request: Request?, _ framing: Framing,
        connection: StaticString?
    ) {
        buffer.removeAll()
        buffer.append("HTTP/1.1 ")
        numbers.uint(UInt64(reply.status))
        buffer.append(0x20)
        buffer.append(reasonPhrase(reply.status))
        buffer.append("\r\n")
        date.append(to: buffer)
        if let connection {
            buffer.append("Connection: ")
            buffer.append(connection)
            buffer.append("\r\n")
        }
        if let type = reply.contentType {
            buffer.append("Content-Type: ")
            buffer.append(type.text)
            // No browser is to take stored bytes for a page or a script.
            buffer.append("\r\nX-Content-Type-Options: nosniff\r\n")
        }
        buffer.append(reply.headers.block)
        buffer.append(fields.block)
        if let request {
            buffer.append("X-Request-Id: ")
            request.withRequestID { buffer.append(UnsafeRawBufferPointer($0)) }
            buffer.append("\r\n")
        }
        append(framing)
        buffer.append("\r\n")
    }

    private func append(_ framing: Framing) {
        switch framing {
        case .none, .connection: break
        case .length(let byteCount):
            buffer.append("Content-Length: ")
            numbers.uint(UInt64(byteCount))
            buffer.append("\r\n")
        case .chunks: buffer.append("Transfer-Encoding: chunked\r\n")
        }
    }

    /// Writes a refusal for a connection whose request was not read, and which is closed after it.
    func write(refusal reply: Response) {
        var body = Bytes("")
        if case .bytes(let bytes) = reply.body { body = bytes }
        begin(reply, Headers(), for: nil, .length(body.count), connection: "close")
        append(body)
    }
}
