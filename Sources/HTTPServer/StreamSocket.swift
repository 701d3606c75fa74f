/// A socket that libmicrohttpd has given up and that an event stream writes to.
// @unchecked: only the thread of the loop touches the variables.
final class StreamSocket: @unchecked Sendable {
    let loop: SocketLoop
    let stream: EventStream
    let socket: Int32
    let record: RequestRecord
    /// HTTP/1.1 clients get chunks, so that they can tell an end from a broken connection.
    let isChunked: Bool
    /// Bytes that the kernel did not take yet.
    var pending: [UInt8]
    var pendingStart = 0
    var sentByteCount = 0
    var isEnding = false
    /// What the stream ends with.
    var grant: Grant?
    var onCompletion: (@Sendable (Completion) -> Void)?

    init(
        _ loop: SocketLoop, _ stream: EventStream, socket: Int32, head: [UInt8], isChunked: Bool,
        record: RequestRecord, onCompletion: (@Sendable (Completion) -> Void)?
    ) {
        self.loop = loop
        self.stream = stream
        self.socket = socket
        self.isChunked = isChunked
        self.record = record
        self.onCompletion = onCompletion
        pending = head
    }
}
