import CMicroHTTPD
import Glibc

// The life of a request on its connection's thread: headers, body, handler, answer.
extension Server {
    /// The headers are here: finds the route and decides what happens with the body.
    ///
    /// No reply is queued here unless the connection has to close anyway: libmicrohttpd closes a
    /// connection whose reply is queued in its first call.
    func begin(
        _ request: Request, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    ) -> MHD_Result {
        metrics.inFlight.wrappingAdd(1, ordering: .relaxed)
        request.method = Method(token: method)
        request.isHTTP11 = strcmp(version, "HTTP/1.0") != 0
        request.phase = .receiving
        request.decideRequestID()
        let head = RequestHead(
            request.connection.handle, method: method, target: request.target.raw, version: version)
        if let found = head.fault {
            return refuseAtOnce(request, fault(400, found.code, found.detail))
        }
        request.announcedByteCount = head.bodyByteCount
        request.isChunked = head.isChunked
        let hasBody = head.isChunked || head.bodyByteCount > 0
        if let refusal = check(request) ?? admission(request) {
            return refuse(request, refusal, hasBody: hasBody)
        }
        guard hasBody else {
            request.connection.deadline.store(0, ordering: .relaxed)
            if request.route >= 0, router.isStreamed(route: request.route),
                case .streamed(let start) = router.routes[request.route].body
            {
                return beginUpload(request, start, hasBody: false)
            }
            return .YES
        }
        return beginBody(request)
    }

    private func admission(_ request: Request) -> Response? {
        request.route < 0 ? nil : options.admit?(request)
    }

    /// Finds what is wrong with the headers, and the route.
    private func check(_ request: Request) -> Response? {
        let target = request.target.rawCount
        if target > options.targetByteCountMax {
            return fault(
                414, .targetTooLong,
                "The request target has \(target) bytes; \(options.targetByteCountMax) are allowed. "
                    + "Long queries can be sent as the body of a POST.")
        }
        let headers = shim_request_header_bytes(request.connection.handle)
        if headers > options.headerByteCountMax {
            return fault(
                431, .headersTooLarge,
                "The request line and headers have \(headers) bytes; "
                    + "\(options.headerByteCountMax) are allowed.")
        }
        do throws(Target.Fault) { try request.target.parse() } catch {
            switch error {
            case .brokenEscape:
                return fault(
                    400, .badEscape,
                    "The request target has a '%' that two hexadecimal digits do not follow.")
            case .notUTF8:
                return fault(400, .badEncoding, "The request target does not decode to UTF-8.")
            case .noPath:
                return fault(
                    400, .badTarget, "The request target has no path; it begins with '/'.")
            }
        }
        switch router.match(request.method, request.target.segments) {
        case .route(let number): request.route = number
        case .wrongMethod(let node): return otherMethod(request, router.allowed[node])
        case .nothing:
            if request.method == .options, request.rawTarget == "*" { return Response(204) }
            return fault(404, .notFound, "There is no resource at this path.")
        }
        return nil
    }

    private func otherMethod(_ request: Request, _ allowed: String) -> Response {
        guard request.method == .options else {
            return fault(
                405, .methodNotAllowed, "This path answers \(allowed)."
            ).with(.allow, allowed)
        }
        var response = Response(204).with(.allow, allowed)
        if !options.cors.isOff, let origin = request.header(.origin), options.cors.allows(origin),
            request.header(.accessControlRequestMethod) != nil
        {
            response.headers.add(.accessControlAllowMethods, allowed)
            if let wanted = request.header(.accessControlRequestHeaders) {
                response.headers.add(.accessControlAllowHeaders, wanted.bytes)
            }
            response.headers.add(.accessControlMaxAge, String(options.cors.maxAgeSeconds))
        }
        return response
    }

    /// A problem of the server's own.
    func fault(_ status: UInt16, _ code: ServerFault.Code, _ detail: String) -> Response {
        options.makeProblem(ServerFault(status, code, detail))
    }

    // MARK: Refusals

    /// Refuses a request before its handler: after its body when that is short, at once when it is
    /// not (which closes the connection).
    private func refuse(_ request: Request, _ response: Response, hasBody: Bool) -> MHD_Result {
        if hasBody,
            request.header(.expect) != nil
                || request.announcedByteCount > UInt64(options.drainByteCountMax)
        {
            return refuseAtOnce(request, response)
        }
        request.connection.deadline.store(0, ordering: .relaxed)
        request.phase = .refused
        request.refusal = response
        if hasBody { setBodyDeadline(request) }
        return .YES
    }

    /// Refuses a request without reading on, and closes the connection: nothing that follows is
    /// taken for a request.
    private func refuseAtOnce(_ request: Request, _ response: Response) -> MHD_Result {
        request.connection.deadline.store(0, ordering: .relaxed)
        request.closesEarly = true
        return send(response, for: request)
    }

    /// Refuses a request while its body comes in.
    private func refuseBody(_ request: Request, _ response: Response) -> MHD_Result {
        request.upload?.abort()
        request.upload = nil
        request.inflater = nil
        request.requestBody.reset()
        request.phase = .refused
        request.refusal = response
        return .YES
    }

    // MARK: Bodies

    private func setBodyDeadline(_ request: Request) {
        request.connection.deadline.store(
            request.startedAt &+ UInt64(options.bodyTimeoutSeconds) &* 1_000_000_000,
            ordering: .relaxed)
    }

    private func beginBody(_ request: Request) -> MHD_Result {
        if let encoding = request.header(.contentEncoding), !encoding.equalsIgnoringCase("identity")
        {
            guard encoding.equalsIgnoringCase("gzip") || encoding.equalsIgnoringCase("x-gzip"),
                let inflater = GzipReader()
            else {
                return refuse(
                    request,
                    fault(
                        415, .unsupportedEncoding,
                        "Content-Encoding may be gzip or identity, not '\(encoding.string)'."
                    ).with(.acceptEncoding, "gzip"), hasBody: true)
            }
            request.inflater = inflater
        }
        switch router.routes[request.route].body {
        case .none:
            // Dropped like a refused one, but the handler runs.
            request.bodyLimit = -1
            request.inflater = nil
            setBodyDeadline(request)
            if request.announcedByteCount > UInt64(options.drainByteCountMax) {
                return refuse(request, bodyTooLarge(options.drainByteCountMax), hasBody: true)
            }
        case .buffered:
            request.bodyLimit = options.bodyByteCountMax
            setBodyDeadline(request)
            let count = request.announcedByteCount
            if count > UInt64(request.bodyLimit) {
                return refuse(request, bodyTooLarge(request.bodyLimit), hasBody: true)
            }
            if request.inflater == nil, !request.requestBody.reserve(Int(min(count, 256 << 10))) {
                return .NO
            }
        case .streamed(let start):
            request.connection.deadline.store(0, ordering: .relaxed)
            return beginUpload(request, start, hasBody: true)
        }
        return .YES
    }

    private func bodyTooLarge(_ limit: Int) -> Response {
        fault(
            413, .bodyTooLarge, "The body is larger than the \(limit) bytes this operation takes.")
    }

    private func beginUpload(
        _ request: Request, _ start: @Sendable (Request, Upload) -> UploadStart, hasBody: Bool
    ) -> MHD_Result {
        let ticket = request.connection.beginUpload(request.grant)
        switch start(request, Upload(request.connection, ticket: ticket)) {
        case .accept(let sink): request.upload = sink
        case .refuse(let response): return refuse(request, response, hasBody: hasBody)
        }
        return .YES
    }

    /// A piece of the body.
    func receive(_ bytes: UnsafeRawBufferPointer, for request: Request) -> MHD_Result {
        request.receivedByteCount += bytes.count
        if request.phase == .refused || request.bodyLimit < 0 {
            request.drained += bytes.count
            if request.drained <= options.drainByteCountMax { return .YES }
            // No reply can be queued while a body comes in, but nothing else is being sent either:
            // the refusal is written to the socket, and the connection is closed.
            cut(request, request.refusal ?? bodyTooLarge(options.drainByteCountMax))
            return .NO
        }
        guard let inflater = request.inflater else {
            if let refusal = take(bytes, for: request) { return refuseBody(request, refusal) }
            return .YES
        }
        var refusal: Response?
        do throws(GzipReader.Fault) {
            try inflater.read(bytes) { piece in
                refusal = take(piece, for: request)
                return refusal == nil
            }
        } catch {
            return refuseBody(request, refusal ?? brokenGzip())
        }
        return .YES
    }

    private func brokenGzip() -> Response {
        fault(
            400, .badEncoding,
            "The body is not well-formed gzip, although Content-Encoding says so.")
    }

    /// The bytes that every compressed upload may become.
    private static let inflationByteCountMin = 1 << 20

    /// Counts a decompressed piece of an upload, and refuses one that grows too much.
    private func inflationRefusal(_ byteCount: Int, _ request: Request) -> Response? {
        guard request.inflater != nil else { return nil }
        request.inflatedByteCount += byteCount
        let allowed =
            Self.inflationByteCountMin + options.inflationRatioMax * request.receivedByteCount
        guard request.inflatedByteCount > allowed else { return nil }
        return fault(
            413, .inflationTooLarge,
            "The compressed body becomes more than \(options.inflationRatioMax) times as long. Send "
                + "it uncompressed, or let the service take more (--max-inflation).")
    }

    /// Gives a decoded piece to whoever collects the body. Returns what refuses it.
    private func take(_ bytes: UnsafeRawBufferPointer, for request: Request) -> Response? {
        if let upload = request.upload {
            if let refusal = accessRefusal(request) ?? inflationRefusal(bytes.count, request) {
                return refusal
            }
            switch upload.receive(bytes) {
            case .more: break
            case .wait: request.connection.suspendForUpload()
            case .refuse(let response): return response
            }
            return nil
        }
        if request.requestBody.count + bytes.count > request.bodyLimit {
            return bodyTooLarge(request.bodyLimit)
        }
        if !request.requestBody.append(bytes) {
            return fault(503, .internalError, "There is no memory for the body; try again.")
        }
        return nil
    }

    // MARK: The handler and its answer

    /// The request is complete.
    func finish(_ request: Request) -> MHD_Result {
        request.connection.deadline.store(0, ordering: .relaxed)
        if request.phase == .refused {
            return send(request.refusal.take() ?? Response(500), for: request)
        }
        if let inflater = request.inflater, !inflater.isOver, request.receivedByteCount > 0 {
            request.upload?.abort()
            request.upload = nil
            return send(brokenGzip(), for: request)
        }
        if let refusal = accessRefusal(request) {
            // The body took its time.
            request.upload?.abort()
            request.upload = nil
            return send(refusal, for: request)
        }
        if let upload = request.upload {
            request.upload = nil
            return apply(upload.finish(), to: request, until: request.grant)
        }
        if request.requestBody.count > 0 || request.method != .get, !request.requestBody.pad() {
            return .NO
        }
        let outcome = router.routes[request.route].handler(request)
        guard let grant = request.grant, grant.isForReading else {
            return apply(outcome, to: request, until: nil)
        }
        return apply(outcome, to: request, until: grant)
    }

    private func apply(
        _ outcome: Outcome, to request: Request, until grant: Grant?
    ) -> MHD_Result {
        switch outcome {
        case .respond(let response): return send(response, for: request)
        case .later(let start):
            guard let ticket = request.connection.suspendForAnswer(grant) else {
                return send(stoppingReply(), for: request)
            }
            request.phase = .waiting
            start(Exchange(request, request.connection, ticket: ticket))
            return .YES
        }
    }

    /// The connection was resumed with an answer.
    func answer(_ request: Request) -> MHD_Result {
        switch request.connection.takeAnswer() {
        case .ready(let response): send(response, for: request)
        case .make(let make): send(make(), for: request)
        case .source(let source): send(source.makeResponse(), for: request)
        case .abandoned: .NO
        case .stopping: send(stoppingReply(), for: request)
        case .accessEnded: send(accessRefusal(request) ?? stoppingReply(), for: request)
        case .dropped, nil:
            send(
                fault(500, .internalError, "The operation ended without an answer."), for: request)
        }
    }

    private func stoppingReply() -> Response {
        fault(503, .stopping, "The server is stopping; try again.").with(.retryAfter, "2")
    }
}
