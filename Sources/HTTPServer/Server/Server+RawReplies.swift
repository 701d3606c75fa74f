import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc

// Replies that libmicrohttpd does not send: refusals at points where it takes no reply, and the heads of event streams.
extension Server {
    /// Returns a reply as bytes, for a connection that is closed after it.
    func rawReply(_ reply: Response, for request: Request? = nil) -> [UInt8] {
        var text = rawHead(reply, request)
        if case .bytes(let bytes) = reply.body {
            text.append(contentsOf: ("Content-Length: \(bytes.count)\r\n\r\n").utf8)
            if request?.method != .head { text.append(contentsOf: bytes.buffer) }
        } else {
            text.append(contentsOf: ("Content-Length: 0\r\n\r\n" as StaticString).bytes)
        }
        return text
    }

    private func rawHead(_ reply: Response, _ request: Request?) -> [UInt8] {
        var text: [UInt8] = []
        text.append(
            contentsOf: "HTTP/1.1 \(reply.status) \(reasonPhrase(reply.status))\r\nDate: ".utf8)
        appendHTTPDate(to: &text)
        text.append(contentsOf: ("\r\nConnection: close\r\n" as StaticString).bytes)
        var fields = reply.headers
        if let type = reply.contentType {
            fields.add(.contentType, type.text)
            fields.add(.contentTypeOptions, "nosniff" as StaticString)
        }
        if let request {
            _ = addVary(reply, request, &fields)
            addCORS(request, &fields)
            request.withRequestID { fields.add(.requestID, $0) }
        }
        fields.forEach { name, value in
            text.append(contentsOf: String(cString: name).utf8)
            text.append(contentsOf: [0x3A, 0x20])
            text.append(contentsOf: String(cString: value).utf8)
            text.append(contentsOf: [0x0D, 0x0A])
        }
        return text
    }

    /// Sends a refusal in the middle of a body, and makes libmicrohttpd close the connection.
    func cut(_ request: Request, _ refusal: Response) -> MHD_Result {
        write(refusal, for: request)
        request.state.withLock { $0.cut() }
        return .NO
    }

    /// Writes a reply to the socket of a connection that libmicrohttpd closes: a refusal, or an answer that it did not take. A
    /// pulled reply is not written.
    func write(_ reply: Response, for request: Request) {
        if case .pull(let body) = reply.body { return body.close() }
        request.status = reply.status
        let bytes = rawReply(reply, for: request)
        // Sends as much as fits into the socket's empty buffer, which is enough for any usual reply.
        let sent = bytes.withUnsafeBytes {
            Glibc.send(request.connection.socket, $0.baseAddress, $0.count, sendFlags)
        }
        request.sentByteCount = max(0, sent)
    }

    // MARK: Event streams

    /// Gives the connection's socket to the thread of the streams, and lets libmicrohttpd close its own descriptor (see
    /// `shim_MHD_start_daemon`: it does not shut the socket down).
    func detach(_ stream: EventStream, _ reply: Response, _ request: Request) -> MHD_Result {
        let socket = fcntl(request.connection.socket, F_DUPFD_CLOEXEC, 0)
        guard socket >= 0, let loop, allowsWaiting else {
            if socket >= 0 { close(socket) }
            return send(stoppingOrFull(), for: request)
        }
        var reply = reply
        // The header makes a proxy such as nginx pass on each event as it arrives.
        reply.headers.add(.accelBuffering, "no" as StaticString)
        var head = rawHead(reply, request)
        if request.isHTTP11 {
            head.append(contentsOf: ("Transfer-Encoding: chunked\r\n" as StaticString).bytes)
        }
        head.append(contentsOf: [0x0D, 0x0A])
        let target = StreamSocket(
            loop, stream, socket: socket, head: head, isChunked: request.isHTTP11,
            record: record(request, forLater: true))
        target.admission = request.admission
        guard stream.attach(target) else {
            close(socket)
            return send(fault(500, .internalError, "The stream has ended already."), for: request)
        }
        limitPatience(socket)
        request.state.withLock { $0.detach() }
        request.connection.isStream = true
        metrics.connections.wrappingAdd(1, ordering: .relaxed)
        metrics.streams.wrappingAdd(1, ordering: .relaxed)
        loop.post(.adopt(target))
        if closesConnections { stream.end() }
        return .NO
    }

    private func stoppingOrFull() -> Response {
        fault(503, .stopping, "The server is stopping or has no descriptors left; try again.")
            .with(.retryAfter, "2")
    }

    /// Makes the kernel give up a client that takes nothing or has vanished.
    private func limitPatience(_ socket: Int32) {
        let size = socklen_t(MemoryLayout<Int32>.size)
        var on: Int32 = 1
        var milliseconds = Int32(options.streamTimeoutSeconds) * 1000
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
    }
}
