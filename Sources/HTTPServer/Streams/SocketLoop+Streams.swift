import CHoldfastEpoll
import Glibc

extension SocketLoop {
    /// Takes over a stream's socket and sends what is queued.
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
                socket.pending =
                    socket.isChunked ? StreamFrame(chunk: pieces) : StreamFrame(pieces)
            } else if isOver {
                socket.isEnding = true
                if socket.isChunked { socket.pending = StreamFrame([Self.lastChunk]) }
            } else {
                return
            }
        }
    }

    /// Bytes of a chunk, if the first piece has not more.
    private static let frameByteCount = 1 << 16
    private static let lastChunk = Bytes("0\r\n\r\n" as StaticString)

    /// Returns false when bytes are left, or the socket is broken (and removed).
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
        // What was sent is not kept.
        socket.pending = nil
        return true
    }

    /// Ends a stream: closes its socket and notifies its owner.
    ///
    /// - `isSent`: Whether all of it was handed to the kernel.
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
