/// The socket of a connection that has become an event stream.
// @unchecked: only the thread of the loop touches the variables.
final class StreamSocket: @unchecked Sendable {
    let loop: SocketLoop
    let stream: EventStream
    let socket: Int32
    let record: RequestRecord
    /// HTTP/1.1 clients get chunks, so that they can tell an end from a broken connection.
    let isChunked: Bool
    /// The frame that the kernel has not taken whole yet.
    var pending: StreamFrame?
    var sentByteCount = 0
    var isEnding = false
    /// The number by which the loop knows it; nil before that, and when it is removed.
    var token: UInt64?
    /// The admission that the stream ends with.
    var admission: Admission?

    init(
        _ loop: SocketLoop, _ stream: EventStream, socket: Int32, head: [UInt8], isChunked: Bool,
        record: RequestRecord
    ) {
        self.loop = loop
        self.stream = stream
        self.socket = socket
        self.isChunked = isChunked
        self.record = record
        pending = StreamFrame([Bytes(head)])
    }
}
