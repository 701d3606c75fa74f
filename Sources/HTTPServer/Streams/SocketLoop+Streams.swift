import CMicroHTTPD
import Glibc
import JSON

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
        while true {
            if socket.pendingStart < socket.pending.count {
                guard flush(socket) else { return }
            }
            if socket.isEnding {
                remove(socket, isSent: true)
                return
            }
            frame.removeAll(keepingCapacity: true)
            let limit = scratch.count
            var pieces: [Bytes] = []
            let isOver = socket.stream.take(upTo: limit) { pieces.append($0) }
            if !pieces.isEmpty {
                build(pieces, isChunked: socket.isChunked)
            } else if isOver {
                socket.isEnding = true
                if socket.isChunked {
                    frame.append(contentsOf: ("0\r\n\r\n" as StaticString).bytes)
                }
            } else {
                return
            }
            send(socket)
        }
    }

    private func build(_ pieces: [Bytes], isChunked: Bool) {
        if isChunked {
            let total = pieces.reduce(0) { $0 + $1.count }
            var shift = 60
            var hasDigit = false
            while shift >= 0 {
                let digit = UInt8(total >> shift & 15)
                if digit != 0 || hasDigit || shift == 0 {
                    frame.append(Hexadecimal.digit(digit))
                    hasDigit = true
                }
                shift -= 4
            }
            frame.append(contentsOf: [0x0D, 0x0A])
        }
        for piece in pieces { frame.append(contentsOf: piece.buffer) }
        if isChunked { frame.append(contentsOf: [0x0D, 0x0A]) }
    }

    /// Sends `frame`; what the kernel does not take is kept with the stream.
    private func send(_ socket: StreamSocket) {
        let count = frame.withUnsafeBytes {
            Glibc.send(
                socket.socket, $0.baseAddress, $0.count,
                sendFlags)
        }
        let sent = max(0, count)
        socket.sentByteCount += sent
        if sent < frame.count {
            socket.pending = Array(frame[sent...])
            socket.pendingStart = 0
        }
        if frame.capacity > 1 << 20 { frame = [] }
    }

    /// Returns false when bytes are left, or the socket is broken (and removed).
    private func flush(_ socket: StreamSocket) -> Bool {
        while socket.pendingStart < socket.pending.count {
            let count = socket.pending.withUnsafeBytes { bytes in
                Glibc.send(
                    socket.socket, bytes.baseAddress.map { $0 + socket.pendingStart },
                    bytes.count - socket.pendingStart,
                    sendFlags)
            }
            if count <= 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { remove(socket) }
                return false
            }
            socket.pendingStart += count
            socket.sentByteCount += count
        }
        socket.pending = []
        socket.pendingStart = 0
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
