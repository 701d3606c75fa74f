import CMicroHTTPD
import Glibc

// Replies on their way out.
extension Server {
    /// Queues a reply. Connection thread, in the access handler.
    func send(_ reply: Response, for request: Request) -> MHD_Result {
        request.phase = .replied
        request.status = reply.status
        if case .events(let body) = reply.body, request.method != .head {
            return detach(body.stream, reply, request)
        }
        var fields = Headers()
        guard let native = makeNative(reply, request, &fields) else { return .NO }
        if let type = reply.contentType {
            add(native, .contentType, type.text)
            // No browser is to take stored bytes for a page or a script.
            add(native, .contentTypeOptions, "nosniff")
        }
        reply.headers.forEach { _ = MHD_add_response_header(native, $0, $1) }
        fields.forEach { _ = MHD_add_response_header(native, $0, $1) }
        addRequestID(native, request)
        // Lines of chunks may end with LF alone, which libmicrohttpd does not show: what follows such
        // a body may belong to it, and is not taken for a request.
        if closesConnections || request.closesEarly || request.isChunked {
            add(native, .connection, "close")
        }
        let result = MHD_queue_response(request.connection.handle, UInt32(reply.status), native)
        MHD_destroy_response(native)
        return result
    }

    private func add(_ native: OpaquePointer, _ name: HeaderName, _ value: StaticString) {
        _ = MHD_add_response_header(native, name.text.cString, value.cString)
    }

    private func addRequestID(_ native: OpaquePointer, _ request: Request) {
        request.withRequestID { id in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: id.count + 1) { text in
                for index in id.indices { text[index] = CChar(bitPattern: id[index]) }
                text[id.count] = 0
                _ = MHD_add_response_header(
                    native, HeaderName.requestID.text.cString, text.baseAddress)
            }
        }
    }

    /// Makes libmicrohttpd's reply with its body, and the fields that follow from the request.
    private func makeNative(
        _ reply: Response, _ request: Request, _ fields: inout Headers
    ) -> OpaquePointer? {
        let mayCompress = addVary(reply, request, &fields)
        addCORS(request, &fields)
        switch reply.body {
        case .bytes(let bytes):
            if mayCompress, let writer = GzipWriter.take() {
                defer { GzipWriter.give(writer) }
                if let smaller = writer.compress(bytes.buffer) {
                    fields.add(.contentEncoding, "gzip" as StaticString)
                    return native(smaller, request)
                }
            }
            return native(bytes, request)
        case .pull(let body):
            if request.method == .head || reply.status == 304 || reply.status == 204 {
                body.close()
                return withoutBody(reply)
            }
            if mayCompress, let source = GzipSource(body) {
                fields.add(.contentEncoding, "gzip" as StaticString)
                return native(PullBody(source, until: body.isOverdue), request)
            }
            return native(body, request)
        case .events: return withoutBody(reply)
        case .empty: return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        }
    }

    /// The headers of a reply whose body has no known length.
    private func withoutBody(_ reply: Response) -> OpaquePointer? {
        reply.status == 304 || reply.status == 204
            ? MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
            : shim_response_without_length(pullBody)
    }

    private func native(_ bytes: Bytes, _ request: Request) -> OpaquePointer? {
        request.sentByteCount = bytes.count
        let storage = bytes.storage.map { Unmanaged.passRetained($0) }
        let native = shim_response_from_bytes(
            bytes.count, bytes.buffer.baseAddress, releaseBytes, storage?.toOpaque())
        if native == nil { storage?.release() }
        return native
    }

    private func native(_ body: PullBody, _ request: Request) -> OpaquePointer? {
        request.connection.beginPull(request.grant, until: body.isOverdue)
        body.socket = request.connection.socket
        body.endsWithConnection = !request.isHTTP11
        let context = Unmanaged.passRetained(body).toOpaque()
        // The block is used for HTTP/1.0 only; chunks are written into the connection's memory.
        let native = MHD_create_response_from_callback(
            shim_size_unknown, request.isHTTP11 ? 1024 : 16 << 10, pullBody, context, closeBody)
        if native == nil { Unmanaged<PullBody>.fromOpaque(context).release() }
        return native
    }

    /// Whether the body is to be compressed; adds `Vary` when that or CORS depends on the request.
    private func addVary(_ reply: Response, _ request: Request, _ fields: inout Headers) -> Bool {
        let variesByOrigin = !options.cors.isOff && !options.cors.allowsAll
        guard couldCompress(reply) else {
            if variesByOrigin { fields.add(.vary, "Origin" as StaticString) }
            return false
        }
        fields.add(.vary, variesByOrigin ? "Accept-Encoding, Origin" : "Accept-Encoding")
        guard let accepted = request.header(.acceptEncoding) else { return false }
        return accepted.listContains("gzip") || accepted.listContains("x-gzip")
    }

    private func couldCompress(_ reply: Response) -> Bool {
        guard let type = reply.contentType, type.isCompressible else { return false }
        return switch reply.body {
        case .bytes(let bytes): bytes.count >= options.compressionByteCountMin
        case .pull: true
        case .empty, .events: false
        }
    }

    private func addCORS(_ request: Request, _ fields: inout Headers) {
        if options.cors.isOff { return }
        options.cors.addFields(for: request.header(.origin), to: &fields)
    }

    // MARK: Replies that libmicrohttpd does not send

    /// A reply as bytes, for a connection that is closed after it.
    func rawReply(_ reply: Response, isHead: Bool, request: Request? = nil) -> [UInt8] {
        var text = rawHead(reply, request)
        if case .bytes(let bytes) = reply.body {
            text.append(contentsOf: ("Content-Length: \(bytes.count)\r\n\r\n").utf8)
            if !isHead { text.append(contentsOf: bytes.buffer) }
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
            if !options.cors.isOff, !options.cors.allowsAll {
                fields.add(.vary, "Origin" as StaticString)
            }
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

    /// Writes a refusal to the socket of a request whose body is still coming in. The connection
    /// is closed by returning `.NO` (or is being closed already).
    func cut(_ request: Request, _ reply: Response) {
        request.phase = .replied
        request.status = reply.status
        request.closesEarly = true
        let bytes = rawReply(reply, isHead: request.method == .head, request: request)
        // A few hundred bytes fit into the empty buffer of the socket; if not, the client is lost.
        let sent = bytes.withUnsafeBytes {
            Glibc.send(
                request.connection.socket, $0.baseAddress, $0.count,
                sendFlags)
        }
        request.sentByteCount = max(0, sent)
    }

    /// Gives the connection's socket to the thread of the streams, and lets libmicrohttpd close its
    /// own descriptor (see `shim_MHD_start_daemon`: it does not shut the socket down).
    private func detach(
        _ stream: EventStream, _ reply: Response, _ request: Request
    ) -> MHD_Result {
        let socket = fcntl(request.connection.socket, F_DUPFD_CLOEXEC, 0)
        guard socket >= 0, let loop, allowsSuspension else {
            if socket >= 0 { close(socket) }
            return send(stoppingOrFull(), for: request)
        }
        var reply = reply
        // A proxy such as nginx passes each event on as it comes.
        reply.headers.add(.accelBuffering, "no" as StaticString)
        var head = rawHead(reply, request)
        if request.isHTTP11 {
            head.append(contentsOf: ("Transfer-Encoding: chunked\r\n" as StaticString).bytes)
        }
        head.append(contentsOf: [0x0D, 0x0A])
        limitPatience(socket)
        let target = StreamSocket(
            loop, stream, socket: socket, head: head, isChunked: request.isHTTP11,
            record: record(request, forLater: true))
        target.grant = request.grant
        guard stream.attach(target) else {
            close(socket)
            return send(fault(500, .internalError, "The stream is over already."), for: request)
        }
        request.isDetached = true
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

    /// Lets the kernel give up a client that takes nothing or has vanished.
    private func limitPatience(_ socket: Int32) {
        let size = socklen_t(MemoryLayout<Int32>.size)
        var on: Int32 = 1
        var milliseconds = Int32(options.streamTimeoutSeconds) * 1000
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }
}

/// The phrase that follows a status code.
func reasonPhrase(_ status: UInt16) -> String {
    MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? "Unknown"
}
