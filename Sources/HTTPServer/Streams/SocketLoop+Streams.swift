import CHoldfastEpoll
import Glibc

extension SocketLoop {
    /// Takes over a stream's socket and sends the queued pieces.
    func adopt(_ socket: StreamSocket) {
        let token = add(.stream(socket))
        socket.token = token
        // Edge-triggered: no further call is needed when the kernel's buffer fills and empties.
        let events = shim_readable | shim_writable | shim_peer_closed | shim_edges
        guard watch(socket.socket, token: token, events: events) else {
            remove(socket)
            return
        }
        write(socket)
    }

    func handle(_ socket: StreamSocket, events: UInt32) {
        let gone = shim_peer_closed | shim_broken
        if events & gone != 0 || (events & shim_readable != 0 && !drain(socket.socket)) {
            remove(socket)
        } else if events & shim_writable != 0 {
            write(socket)
        }
    }

    /// Writes until the queue is empty or the kernel takes no more.
    func write(_ socket: StreamSocket) {
        while flush(socket) {
            if socket.isEnding {
                remove(socket, isSent: true)
                return
            }
            var pieces: [Bytes] = []
            let isOver = socket.stream.take(upTo: Self.frameByteCount) { pieces.append($0) }
            if !pieces.isEmpty {
                socket.pending = socket.isChunked ? StreamFrame(chunk: pieces) : StreamFrame(pieces)
            } else if isOver {
                socket.isEnding = true
                if socket.isChunked { socket.pending = StreamFrame([Self.lastChunk]) }
            } else {
                return
            }
        }
    }

    /// The bytes of a chunk, unless its first piece is longer.
    private static let frameByteCount = 1 << 16
    private static let lastChunk = Bytes("0\r\n\r\n" as StaticString)

    /// Writes the pending frame. Returns false when bytes are left, or the socket is broken (and removed).
    private func flush(_ socket: StreamSocket) -> Bool {
        while let pending = socket.pending, !pending.isSent {
            let count = pending.send(to: socket.socket)
            if count <= 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { remove(socket) }
                return false
            }
            socket.sentByteCount += count
        }
        // Frames that were sent are released.
        socket.pending = nil
        return true
    }

    /// Ends a stream: closes its socket and notifies its owner.
    ///
    /// - `isSent`: Whether all of the stream was handed to the kernel.
    func remove(_ socket: StreamSocket, isSent: Bool = false) {
        guard let token = socket.token.take() else { return }
        roles[token] = nil
        if isSent {
            _ = shim_epoll_remove(epoll, socket.socket)
            post(.linger(socket.socket))
        } else {
            close(socket.socket)
        }
        var record = socket.record
        record.byteCount = socket.sentByteCount
        server.streamFinished(record)
        socket.stream.close()
    }
}

/// The socket of a connection that has become an event stream.
// @unchecked: only the loop's thread uses the variables.
final class StreamSocket: @unchecked Sendable {
    let loop: SocketLoop
    let stream: EventStream
    let socket: Int32
    let record: RequestRecord
    /// Whether the body is sent in chunks, so that an HTTP/1.1 client can tell its end from a broken connection.
    let isChunked: Bool
    /// The frame that the kernel has not taken completely yet.
    var pending: StreamFrame?
    var sentByteCount = 0
    var isEnding = false
    /// The number by which the loop knows the socket; nil before it is added and after it is removed.
    var token: UInt64?
    /// The admission whose end also ends the stream.
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

/// Bytes on their way into a socket: pieces, with the framing of a chunk (RFC 9112, section 7.1) around them. Many streams may
/// share the pieces, which are not copied. For the loop's thread.
final class StreamFrame {
    private let parts: [Bytes]
    /// The number of bytes that the kernel has taken.
    private var sentByteCount = 0
    private let byteCount: Int

    /// Takes parts without framing.
    init(_ parts: [Bytes]) {
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.count }
    }

    convenience init(chunk pieces: [Bytes]) {
        let byteCount = pieces.reduce(0) { $0 + $1.count }
        let head = Bytes(String(byteCount, radix: 16) + "\r\n")
        self.init([head] + pieces + [Bytes("\r\n" as StaticString)])
    }

    /// Whether the kernel has taken all bytes.
    var isSent: Bool { sentByteCount == byteCount }

    /// The most parts of one call; the kernel takes at most 1,024.
    private static let partCountMax = 64

    /// Hands the remaining bytes to the kernel, in one call if they have few parts.
    ///
    /// - Returns: The number of bytes that the kernel took; negative, with `errno`, if it took no bytes.
    func send(to socket: Int32) -> Int {
        let vectors = UnsafeMutableBufferPointer<iovec>.allocate(capacity: Self.partCountMax)
        defer { vectors.deallocate() }
        var count = 0
        var skipped = sentByteCount
        for part in parts {
            if skipped >= part.count {
                skipped -= part.count
                continue
            }
            guard count < vectors.count, let start = part.buffer.baseAddress else { break }
            vectors[count] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: start + skipped),
                iov_len: part.count - skipped)
            skipped = 0
            count += 1
        }
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = count
        let sent = sendmsg(socket, &message, sendFlags)
        if sent > 0 { sentByteCount += sent }
        return sent
    }
}
