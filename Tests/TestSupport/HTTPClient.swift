import Glibc

/// One kept connection to a server on this machine, for tests. One thread at a time uses it.
package final class HTTPClient {
    /// A reply as it came.
    package struct Reply: Sendable {
        /// The status code; 0 when the connection ended without a reply.
        package var status = 0
        /// The fields with their names in lower case; of repeated ones the last.
        package var headers: [String: String] = [:]
        /// The body, with chunks put together.
        package var body: [UInt8] = []

        /// No reply.
        package init() {}

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let port: UInt16
    private var socket: Int32 = -1
    private var received: [UInt8] = []
    private var position = 0

    /// Makes a client; it connects with the first request.
    package init(port: UInt16) { self.port = port }

    deinit { disconnect() }

    /// Closes the connection; the next request opens another.
    package func disconnect() {
        if socket >= 0 { close(socket) }
        socket = -1
        received = []
        position = 0
    }

    /// Sends a request and waits for its reply. The target is sent as it stands, so it has to be
    /// escaped; `headers` come beside `Host` and `Content-Length`.
    package func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) -> Reply {
        begin(method, target, headers: headers, body: body)
        let reply = read(isHead: method == "HEAD")
        if reply.status == 0 || reply.headers["connection"] == "close" { disconnect() }
        return reply
    }

    /// Sends bytes as they stand and waits for a reply.
    package func sendText(_ text: String) -> Reply {
        begin(text)
        let reply = read(isHead: false)
        disconnect()
        return reply
    }

    /// Sends a request as ``send(_:_:headers:body:)`` does, and waits for nothing.
    package func begin(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((text + "\r\n").utf8) + (body ?? [])
        if !write(bytes) {
            disconnect()
            _ = write(bytes)
        }
    }

    /// Begins a long poll of a minute.
    package func beginPoll(_ target: String, headers: [(String, String)] = []) {
        begin(
            "GET", target,
            headers: headers + [("Accept", "application/json"), ("Prefer", "wait=60")])
    }

    /// Sends bytes as they stand and waits for nothing.
    package func begin(_ text: String) { _ = write(Array(text.utf8)) }

    /// Whether something of a reply has come.
    package var hasReply: Bool {
        if position < received.count { return true }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Waits for the reply to what was begun.
    package func finish() -> Reply { read(isHead: false) }

    private func write(_ bytes: [UInt8]) -> Bool {
        if socket < 0 { connect() }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    private func connect() {
        socket = LoopbackSocket.connect(port: port)
        var on: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Reading

    private func byte() -> UInt8? {
        if position == received.count {
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            received = Array(piece[..<count])
            position = 0
        }
        position += 1
        return received[position - 1]
    }

    private func line() -> String? {
        var bytes: [UInt8] = []
        while let byte = byte() {
            if byte == UInt8(ascii: "\n") {
                if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte)
        }
        return nil
    }

    private func take(_ count: Int, into body: inout [UInt8]) -> Bool {
        var left = count
        body.reserveCapacity(body.count + count)
        while left > 0 {
            let end = min(position + left, received.count)
            body.append(contentsOf: received[position..<end])
            left -= end - position
            position = end
            if left > 0 {
                guard let byte = byte() else { return false }
                body.append(byte)
                left -= 1
            }
        }
        return true
    }

    private func read(isHead: Bool) -> Reply {
        var reply = Reply()
        guard let start = line() else { return reply }
        let parts = start.split(separator: " ")
        guard parts.count >= 2, let status = Int(parts[1]) else { return reply }
        while let field = line(), !field.isEmpty {
            guard let colon = field.firstIndex(of: ":") else { continue }
            var value = field[field.index(after: colon)...]
            while value.first == " " { value.removeFirst() }
            reply.headers[field[..<colon].lowercased()] = String(value)
        }
        reply.status = status
        if isHead || status == 204 || status == 304 { return reply }
        if reply.headers["transfer-encoding"] == "chunked" {
            while let size = line().flatMap({ Int($0, radix: 16) }), size > 0 {
                guard take(size, into: &reply.body) else { return reply }
                _ = line()
            }
            _ = line()
        } else if let count = reply.headers["content-length"].flatMap({ Int($0) }) {
            _ = take(count, into: &reply.body)
        }
        return reply
    }
}
