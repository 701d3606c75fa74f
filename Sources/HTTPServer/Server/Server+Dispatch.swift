// The life of a request on its connection's thread: headers, body, handler, answer.
extension Server {
    /// The head is here: finds the route and decides what happens with the body.
    func begin(_ request: Request, headByteCount: Int) {
        let connection = request.connection
        metrics.inFlight.wrappingAdd(1, ordering: .relaxed)
        request.decideRequestID()
        let hasBody = connection.head.isChunked || connection.head.bodyByteCount > 0
        connection.deadline = 0
        if let refusal = check(request, headByteCount: headByteCount) ?? admission(request) {
            return refuse(request, refusal, hasBody: hasBody)
        }
        guard hasBody else {
            if router.isStreamed(route: request.route),
                case .streamed(let start) = router.routes[request.route].body
            {
                beginUpload(request, start, hasBody: false)
                if request.phase != .receiving { return }
            }
            return finish(request)
        }
        beginBody(request)
    }

    /// The head is broken: nothing behind it is taken for a request.
    func refuseHead(_ request: Request, _ refusal: Response) {
        metrics.inFlight.wrappingAdd(1, ordering: .relaxed)
        request.decideRequestID()
        refuseAtOnce(request, refusal)
    }

    /// Tells the client of a head that did not come in time, which is not counted as a request.
    func refuseLateHead(_ connection: Connection) {
        let buffer = connection.loop.reply
        buffer.write(refusal: lateReply())
        connection.closesAfterReply = true
        connection.begin(buffer.bytes, nil)
    }

    /// The refusal of a request that is too slow.
    func lateReply() -> Response {
        fault(408, .requestTimeout, "The request did not arrive in time; send it again.")
    }

    /// The refusal of a head that is not complete although it has more bytes than a head may have.
    func headTooLarge(_ head: borrowing RequestHead, byteCount: Int) -> Response {
        head.hasRequestLine
            ? headersTooLarge(byteCount, isMore: true) : targetTooLong(byteCount, isMore: true)
    }

    private func targetTooLong(_ byteCount: Int, isMore: Bool) -> Response {
        fault(
            414, .targetTooLong,
            "The request target has \(isMore ? "more than " : "")\(byteCount) bytes; "
                + "\(options.targetByteCountMax) are allowed. Long queries can be sent as the body of a "
                + "POST.")
    }

    private func headersTooLarge(_ byteCount: Int, isMore: Bool) -> Response {
        fault(
            431, .headersTooLarge,
            "The request line and headers have \(isMore ? "more than " : "")\(byteCount) bytes; "
                + "\(options.headerByteCountMax) are allowed.")
    }

    private func admission(_ request: Request) -> Response? {
        request.route < 0 ? nil : options.admit?(request)
    }

    /// Finds what is wrong with the headers, and the route.
    private func check(_ request: Request, headByteCount: Int) -> Response? {
        let target = request.target.rawCount
        if target > options.targetByteCountMax { return targetTooLong(target, isMore: false) }
        if headByteCount > options.headerByteCountMax {
            return headersTooLarge(headByteCount, isMore: false)
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
    private func refuse(_ request: Request, _ response: Response, hasBody: Bool) {
        guard hasBody else { return send(response, for: request) }
        let announced = request.connection.head.bodyByteCount
        if request.header(.expect) != nil || announced > UInt64(options.drainByteCountMax) {
            return refuseAtOnce(request, response)
        }
        request.phase = .refused
        request.refusal = response
        setBodyDeadline(request)
        request.connection.beginBody()
    }

    /// Refuses a request without reading on, and closes the connection: nothing that follows is
    /// taken for a request.
    func refuseAtOnce(_ request: Request, _ response: Response) {
        request.abortUpload()
        request.closesEarly = true
        send(response, for: request)
    }

    /// Refuses a request while its body comes in.
    private func refuseBody(_ request: Request, _ response: Response) {
        request.abortUpload()
        request.connection.endUpload()
        request.inflater = nil
        request.requestBody.reset()
        request.phase = .refused
        request.refusal = response
        // A streamed body had none.
        if request.connection.deadline == 0 {
            request.connection.deadline = request.connection.loop.now &+ bodyNanoseconds
        }
    }

    // MARK: Bodies

    private func setBodyDeadline(_ request: Request) {
        request.connection.deadline = request.startedAt &+ bodyNanoseconds
    }

    private var bodyNanoseconds: UInt64 { UInt64(options.bodyTimeoutSeconds) &* 1_000_000_000 }

    private func beginBody(_ request: Request) {
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
        let announced = request.connection.head.bodyByteCount
        switch router.routes[request.route].body {
        case .none:
            // Dropped like a refused one, but the handler runs.
            request.bodyLimit = -1
            request.inflater = nil
            setBodyDeadline(request)
            if announced > UInt64(options.drainByteCountMax) {
                return refuse(request, bodyTooLarge(options.drainByteCountMax), hasBody: true)
            }
        case .buffered:
            request.bodyLimit = options.bodyByteCountMax
            setBodyDeadline(request)
            if announced > UInt64(request.bodyLimit) {
                return refuse(request, bodyTooLarge(request.bodyLimit), hasBody: true)
            }
            if request.inflater == nil,
                !request.requestBody.reserve(Int(min(announced, 256 << 10)))
            {
                return refuseAtOnce(request, noMemory())
            }
        case .streamed(let start):
            // The sink unpacks it, on a thread of its own.
            request.inflater = nil
            beginUpload(request, start, hasBody: true)
            if request.phase != .receiving { return }
        }
        request.connection.beginBody()
    }

    private func noMemory() -> Response {
        fault(503, .internalError, "There is no memory for the body; try again.")
    }

    private func bodyTooLarge(_ limit: Int) -> Response {
        fault(
            413, .bodyTooLarge, "The body is larger than the \(limit) bytes this operation takes.")
    }

    private func beginUpload(
        _ request: Request, _ start: @Sendable (Request, Upload) -> UploadStart, hasBody: Bool
    ) {
        let ticket = request.connection.beginUpload()
        switch start(request, Upload(request.connection, ticket: ticket)) {
        case .accept(let sink): request.upload = sink
        case .refuse(let response): refuse(request, response, hasBody: hasBody)
        }
    }

    /// A piece of the body.
    func receive(_ bytes: UnsafeRawBufferPointer, for request: Request) {
        request.receivedByteCount += bytes.count
        if request.phase == .refused || request.bodyLimit < 0 {
            request.drained += bytes.count
            if request.drained <= options.drainByteCountMax { return }
            return refuseAtOnce(
                request, request.refusal ?? bodyTooLarge(options.drainByteCountMax))
        }
        guard let inflater = request.inflater else {
            if let refusal = take(bytes, for: request) { refuseBody(request, refusal) }
            return
        }
        var refusal: Response?
        do throws(GzipReader.Fault) {
            try inflater.read(bytes) { piece in
                refusal = take(piece, for: request)
                return refusal == nil
            }
        } catch {
            refuseBody(request, refusal ?? brokenGzip())
        }
    }

    private func brokenGzip() -> Response {
        fault(
            400, .badEncoding,
            "The body is not well-formed gzip, although Content-Encoding says so.")
    }

    /// Gives a decoded piece to whoever collects the body. Returns what refuses it.
    private func take(_ bytes: UnsafeRawBufferPointer, for request: Request) -> Response? {
        if let upload = request.upload {
            if let refusal = accessRefusal(request) { return refusal }
            switch upload.receive(bytes) {
            case .more: break
            case .wait: if allowsWaiting { request.connection.pauseUpload() }
            case .refuse(let response): return response
            }
            return nil
        }
        if request.requestBody.count + bytes.count > request.bodyLimit {
            return bodyTooLarge(request.bodyLimit)
        }
        if !request.requestBody.append(bytes) {
            return noMemory()
        }
        return nil
    }

    // MARK: The handler and its answer

    /// The request is complete.
    func finish(_ request: Request) {
        request.connection.deadline = 0
        if request.phase == .refused {
            return send(request.refusal.take() ?? Response(500), for: request)
        }
        if let inflater = request.inflater, !inflater.isOver, request.receivedByteCount > 0 {
            request.abortUpload()
            return send(brokenGzip(), for: request)
        }
        if let refusal = accessRefusal(request) {
            // The body took its time.
            request.abortUpload()
            return send(refusal, for: request)
        }
        if let upload = request.upload {
            request.upload = nil
            return apply(upload.finish(), to: request, until: request.grant)
        }
        if request.requestBody.count > 0 || request.method != .get, !request.requestBody.pad() {
            return send(noMemory(), for: request)
        }
        let outcome = router.routes[request.route].handler(request)
        guard let grant = request.grant, grant.isForReading else {
            return apply(outcome, to: request, until: nil)
        }
        return apply(outcome, to: request, until: grant)
    }

    private func apply(_ outcome: Outcome, to request: Request, until grant: Grant?) {
        switch outcome {
        case .respond(let response): send(response, for: request)
        case .later(let start):
            guard allowsWaiting else { return send(stoppingReply(), for: request) }
            request.phase = .waiting
            request.waitingGrant = grant
            request.isShared = true
            start(Exchange(request, request.connection, ticket: request.connection.beginWait()))
        }
    }

    /// An answer came.
    func send(_ answer: Connection.Answer, for request: Request) {
        switch answer {
        case .stopping, .accessEnded:
            // Who was to answer may still read the request: no other takes its place.
            request.closesEarly = true
        case .ready, .make, .source, .dropped, .abandoned: request.isShared = false
        }
        switch answer {
        case .ready(let response): send(response, for: request)
        case .make(let make): send(make(), for: request)
        case .source(let source): send(source.makeResponse(), for: request)
        case .abandoned: request.connection.close()
        case .stopping: send(stoppingReply(), for: request)
        case .accessEnded: send(accessRefusal(request) ?? stoppingReply(), for: request)
        case .dropped:
            send(
                fault(500, .internalError, "The operation ended without an answer."), for: request)
        }
    }

    func stoppingReply() -> Response {
        fault(503, .stopping, "The server is stopping; try again.").with(.retryAfter, "2")
    }
}
