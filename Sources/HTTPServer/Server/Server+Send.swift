import HoldfastThreads
import CHoldfastMicroHTTPD
import Glibc

// Sending of replies.
extension Server {
    /// Queues a reply. Connection thread, in the access handler.
    ///
    /// - `isLast`: Whether nothing that follows the request is taken for another request.
    func send(_ reply: Response, for request: Request, isLast: Bool = false) -> MHD_Result {
        if needsPreparing(reply) {
            return send(prepared(reply, for: request), for: request, isLast: isLast)
        }
        request.status = reply.status
        if case .events(let body) = reply.body, request.method != .head {
            return detach(body.stream, reply, request)
        }
        var fields = Headers()
        guard let native = makeNative(reply, request, &fields) else { return .NO }
        if let type = reply.contentType {
            add(native, .contentType, type.text)
            // Browsers must not take stored bytes for a page or a script.
            add(native, .contentTypeOptions, "nosniff")
        }
        var room = HeadMemory.fieldRoom(in: request.replyRoom)
        reply.headers.forEach { name, value in
            // A field may be as long as `Link` with a target of some kilobytes.
            let count = strlen(name) + strlen(value) + 4
            guard count <= room else { return }
            room -= count
            _ = MHD_add_response_header(native, name, value)
        }
        fields.forEach { _ = MHD_add_response_header(native, $0, $1) }
        addRequestID(native, request)
        // Lines of chunks may end with LF only, which libmicrohttpd does not show. Bytes after such a body may belong to it, so
        // they are not taken for a request.
        if closesConnections || isLast || request.isChunked { add(native, .connection, "close") }
        var pieces: RequestState.Pieces?
        if case .pull(let body) = reply.body {
            pieces = RequestState.Pieces(admission: request.admission, isOverdue: body.isOverdue)
        }
        request.state.withLock { $0.send(pieces) }
        let result = MHD_queue_response(request.connection.handle, UInt32(reply.status), native)
        MHD_destroy_response(native)
        return result
    }

    /// Whether a reply is large enough to be counted, and was not counted yet. Most replies are small: nothing of them is copied.
    @inline(__always)
    func needsPreparing(_ reply: borrowing Response) -> Bool {
        guard case .bytes(let bytes) = reply.body else { return false }
        return bytes.count > MemoryBudget.freeMessageByteCountMax && reply.preparation == .none
            && bytes.storage != nil
    }

    /// Prepares a large reply: refuses it if there is no memory for it, otherwise counts and compresses it. This takes long, so
    /// it is done once, by the thread that made the reply.
    func prepared(_ reply: consuming Response, for request: Request) -> Response {
        guard case .bytes(let bytes) = reply.body else { return reply }
        if bytes.count > MemoryBudget.grantedByteCountMax, request.route >= 0,
            router.routes[request.route].isForReading,
            !metrics.messageMemory.hasRoom(for: bytes.count)
        {
            return noMemory()
        }
        var sent = bytes
        reply.preparation = .counted
        if couldCompress(reply), accepts(gzip: request), let smaller = compressed(bytes) {
            sent = smaller
            reply.headers.add(.contentEncoding, "gzip" as StaticString)
            reply.preparation = .compressed
        }
        reply.body = .bytes(Bytes(sent.buffer, keptBy: HeldReply(sent, in: metrics.messageMemory)))
        return reply
    }

    private func compressed(_ bytes: Bytes) -> Bytes? {
        guard let writer = GzipWriter.take() else { return nil }
        defer { GzipWriter.give(writer) }
        return writer.compress(bytes.buffer)
    }

    private func accepts(gzip request: Request) -> Bool {
        guard let accepted = request.header(.acceptEncoding) else { return false }
        return accepted.listContains("gzip") || accepted.listContains("x-gzip")
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
            if mayCompress, reply.preparation == .none, let smaller = compressed(bytes) {
                fields.add(.contentEncoding, "gzip" as StaticString)
                return native(smaller, request)
            }
            return native(bytes, request)
        case .pull(let body):
            let isHead = request.method == .head && (mayCompress || body.byteCount == nil)
            if isHead || reply.status == 304 || reply.status == 204 {
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

    /// Returns the headers of a reply with a body of unknown length.
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
        body.memory = metrics.messageMemory
        body.socket = request.connection.socket
        body.endsWithConnection = !request.isHTTP11
        let context = Unmanaged.passRetained(body).toOpaque()
        // The block is used only for HTTP/1.0; chunks are written into the connection's memory.
        let native = MHD_create_response_from_callback(
            body.byteCount.map(UInt64.init) ?? shim_size_unknown,
            request.isHTTP11 ? 1024 : 16 << 10, pullBody, context, closeBody)
        if native == nil { Unmanaged<PullBody>.fromOpaque(context).release() }
        return native
    }

    /// Whether the body is to be compressed; adds `Vary` when that or CORS depends on the request.
    func addVary(_ reply: Response, _ request: Request, _ fields: inout Headers) -> Bool {
        let variesByOrigin = options.cors.variesByOrigin
        guard couldCompress(reply) else {
            if variesByOrigin { fields.add(.vary, "Origin" as StaticString) }
            return false
        }
        fields.add(.vary, variesByOrigin ? "Accept-Encoding, Origin" : "Accept-Encoding")
        return accepts(gzip: request)
    }

    private func couldCompress(_ reply: Response) -> Bool {
        // A range is of the bytes as they are.
        guard let type = reply.contentType, type.isCompressible, reply.status != 206 else {
            return false
        }
        return switch reply.body {
        case .bytes(let bytes):
            reply.preparation == .compressed || bytes.count >= options.compressionByteCountMin
        case .pull: true
        case .empty, .events: false
        }
    }

    /// Adds the fields that a page of another origin needs to read the reply, if it may read it.
    func addCORS(_ request: Request, _ fields: inout Headers) {
        guard let origin = request.header(.origin) else { return }
        switch options.cors.verdict(on: request, from: origin) {
        case .all: fields.add(.accessControlAllowOrigin, "*" as StaticString)
        case .own: fields.add(.accessControlAllowOrigin, origin.bytes)
        case .none:
            if !request.isForHost(of: origin, "http://"), !request.isForHost(of: origin, "https://")
            {
                refusedOrigins.note(origin.string)
            }
            return
        }
        fields.add(.accessControlExposeHeaders, CORSPolicy.exposed)
    }
}

/// Returns the phrase that follows a status code, which is also the title of a problem that has no type (RFC 9457, section
/// 4.2.1).
package func reasonPhrase(_ status: UInt16) -> String {
    MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? "Unknown"
}
