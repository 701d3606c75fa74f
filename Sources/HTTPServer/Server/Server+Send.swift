import Glibc

// Replies on their way out, on the thread of their connection.
extension Server {
    /// Bodies up to this length are sent from the same memory as their head.
    private static let copiedBodyByteCountMax = 16 << 10

    /// Begins to send a reply.
    func send(_ reply: Response, for request: Request) {
        let connection = request.connection
        request.phase = .replied
        request.status = reply.status
        connection.deadline = 0
        if case .events(let body) = reply.body, request.method != .head {
            return detach(body.stream, reply, request)
        }
        var fields = Headers()
        let mayCompress = addVary(reply, request, &fields)
        addCORS(request, &fields)
        let hasBody = request.method != .head && reply.status != 304 && reply.status != 204
        var framing = Framing.none
        var bytes: Bytes?
        switch reply.body {
        case .bytes(let all):
            let body = mayCompress ? compress(all, &fields) : all
            if reply.status != 204 { framing = .length(body.count) }
            if hasBody { bytes = body }
        case .pull(let body):
            if hasBody {
                framing = request.isHTTP11 ? .chunks : .connection
                connection.pull = mayCompress ? compress(body, &fields) : body
                connection.sendsChunks = request.isHTTP11
            } else {
                body.close()
            }
        case .events: break
        case .empty: if reply.status != 204, reply.status != 304 { framing = .length(0) }
        }
        request.sentByteCount = bytes?.count ?? 0
        begin(reply, for: request, fields, framing, bytes)
    }

    private func begin(
        _ reply: Response, for request: Request, _ fields: Headers, _ framing: Framing,
        _ body: Bytes?
    ) {
        let connection = request.connection
        let loop = connection.loop
        connection.closesAfterReply = isLast(reply, request, framing)
        loop.reply.begin(
            reply, fields, for: request, framing,
            connection: connection.closesAfterReply
                ? "close" : request.isHTTP11 ? nil : "keep-alive")
        if let body, body.count > Self.copiedBodyByteCountMax {
            return connection.begin(loop.reply.bytes, body)
        }
        if let body { loop.reply.append(body) }
        connection.begin(loop.reply.bytes, nil)
    }

    /// Whether the connection ends with the reply.
    private func isLast(_ reply: Response, _ request: Request, _ framing: Framing) -> Bool {
        // Some proxies take other bytes than we do for the end of a body in chunks: nothing behind one is taken for a
        // request.
        if closesConnections || request.closesEarly || request.connection.head.isChunked
            || !request.connection.head.keepsConnection
        {
            return true
        }
        return switch framing {
        case .connection: true
        // The reply to HEAD does not say how long the body would be.
        case .none: reply.status != 204 && reply.status != 304
        case .length, .chunks: false
        }
    }

    private func compress(_ bytes: Bytes, _ fields: inout Headers) -> Bytes {
        guard let writer = GzipWriter.take() else { return bytes }
        defer { GzipWriter.give(writer) }
        guard let smaller = writer.compress(bytes.buffer) else { return bytes }
        fields.add(.contentEncoding, "gzip" as StaticString)
        return smaller
    }

    private func compress(_ body: PullBody, _ fields: inout Headers) -> PullBody {
        guard let source = GzipSource(body) else { return body }
        fields.add(.contentEncoding, "gzip" as StaticString)
        return PullBody(source, until: body.isOverdue)
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

    // MARK: Event streams

    /// Gives the connection's socket to the thread of the streams.
    private func detach(_ stream: EventStream, _ reply: Response, _ request: Request) {
        let connection = request.connection
        guard let loop, allowsWaiting else { return send(stoppingReply(), for: request) }
        var reply = reply
        // A proxy such as nginx passes each event on as it comes.
        reply.headers.add(.accelBuffering, "no" as StaticString)
        var fields = Headers()
        _ = addVary(reply, request, &fields)
        addCORS(request, &fields)
        let head = connection.loop.reply
        head.begin(
            reply, fields, for: request, request.isHTTP11 ? .chunks : .connection,
            connection: "close")
        let target = StreamSocket(
            loop, stream, socket: connection.socket, head: Array(head.bytes),
            isChunked: request.isHTTP11, record: record(request, forLater: true))
        target.grant = request.grant
        guard stream.attach(target) else {
            return send(fault(500, .internalError, "The stream is over already."), for: request)
        }
        request.isDetached = true
        limitPatience(connection.socket)
        metrics.connections.wrappingAdd(1, ordering: .relaxed)
        metrics.streams.wrappingAdd(1, ordering: .relaxed)
        connection.close(keepingSocket: true)
        loop.post(.adopt(target))
        if closesConnections { stream.end() }
    }

    /// Lets the kernel give up a client that takes nothing or has vanished.
    private func limitPatience(_ socket: Int32) {
        let size = socklen_t(MemoryLayout<Int32>.size)
        var on: Int32 = 1
        var milliseconds = Int32(options.streamTimeoutSeconds) * 1000
        setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
    }
}
