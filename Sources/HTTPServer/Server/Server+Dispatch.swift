import CHoldfastMicroHTTPD
import Glibc
import HoldfastThreads

// The phases of a request on its connection's thread: head, body, handler, answer.
extension Server {
    /// Begins a request after its head has arrived: finds the route and decides how to read the body.
    ///
    /// A reply is queued here only as the connection's last: libmicrohttpd closes a connection whose reply is queued in its first
    /// call.
    func begin(
        _ request: Request, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    ) -> MHD_Result {
        metrics.inFlight.wrappingAdd(1, ordering: .relaxed)
        request.method = Method(token: method)
        request.isHTTP11 = strcmp(version, "HTTP/1.0") != 0
        let head = HeadCheck(request, method: method, version: version)
        request.decideRequestID()
        request.replyRoom = HeadMemory.room(
            behind: shim_request_header_bytes(request.connection.handle),
            recordCount: head.recordCount, in: options.connectionMemoryByteCount)
        guard request.replyRoom >= HeadMemory.replyByteCountMin else {
            // libmicrohttpd closes a connection without a reply when it has no memory left for the reply.
            return cut(request, tooLargeHead(request) ?? tooManyFields(head.recordCount))
        }
        if let fault = head.fault {
            return refuse(request, options.makeProblem(fault), isLast: true)
        }
        // Checked after the request has left the state that a stop looks at: either the stop finds this request, or the request
        // finds the stop.
        guard allowsWaiting else { return refuse(request, stoppingReply(), isLast: true) }
        request.announcedByteCount = head.bodyByteCount
        request.isChunked = head.isChunked
        request.connection.expectNothing()
        if let refusal = check(request) ?? admission(request) ?? beginBody(request) {
            return refuse(request, refusal)
        }
        request.state.withLock {
            // A sink ends by itself.
            $0.receive(until: request.upload == nil ? request.admission : nil)
        }
        return .YES
    }

    /// The refusal of a request that is too slow.
    func lateReply() -> Response {
        fault(408, .requestTimeout, "The request did not arrive in time; send it again.")
    }

    private func admission(_ request: Request) -> Response? {
        request.route < 0 ? nil : options.admit?(request)
    }

    /// Finds the route. Returns a refusal if the headers or the target are wrong.
    private func check(_ request: Request) -> Response? {
        if let refusal = tooLargeHead(request) { return refusal }
        do throws(ServerFault) { try request.target.parse() } catch {
            return options.makeProblem(error)
        }
        switch router.match(request.method, request.target.segments) {
        case .route(let number): request.route = number
        case .wrongMethod(let node): return otherMethod(request, router.allowed[node])
        case .nothing:
            if request.method == .options, request.rawTarget == "*" { return Response(204) }
            return options.answerUnrouted(request) ?? nothingThere(request)
        }
        return nil
    }

    /// The refusal of a head with more bytes than the options allow; nil for a smaller head.
    private func tooLargeHead(_ request: Request) -> Response? {
        let target = request.target.rawCount
        if target > options.targetByteCountMax {
            return fault(
                414, .targetTooLong,
                "The request target has \(target) bytes; \(options.targetByteCountMax) are allowed. "
                    + "Long queries can be sent as the body of a POST.")
        }
        let head = shim_request_header_bytes(request.connection.handle)
        if head > options.headerByteCountMax {
            return fault(
                431, .headersTooLarge,
                "The request line and headers have \(head) bytes; "
                    + "\(options.headerByteCountMax) are allowed.")
        }
        return nil
    }

    /// The refusal of a head with so many fields that no memory is left for the reply.
    private func tooManyFields(_ count: Int) -> Response {
        fault(
            431, .headersTooLarge,
            "The request has too many header fields of this length: each of the \(count - 1) takes "
                + "\(HeadMemory.recordByteCount) bytes beside its text. Send fewer or shorter ones."
        )
    }

    private func nothingThere(_ request: Request) -> Response {
        let next =
            nextStep(request, isKnown: false) ?? NextStep("'GET /' lists the paths to start with.")
        return options.makeProblem(
            ServerFault(
                404, .notFound, "There is no resource at this path; \(next.text)", hint: next.path))
    }

    private func nextStep(_ request: Request, isKnown: Bool) -> NextStep? {
        options.nextStep(request.method, request.target.segments.map(\.string), isKnown)
    }

    private func otherMethod(_ request: Request, _ allowed: String) -> Response {
        guard request.method == .options else {
            let next = nextStep(request, isKnown: true)
            let advice = next.map { "; \($0.text)" } ?? "."
            return options.makeProblem(
                ServerFault(
                    405, .methodNotAllowed, "This path answers \(allowed)\(advice)",
                    hint: next?.path)
            ).with(.allow, allowed)
        }
        var response = Response(204).with(.allow, allowed)
        if let origin = request.header(.origin),
            options.cors.verdict(on: request, from: origin) != .none,
            request.header(.accessControlRequestMethod) != nil
        {
            response.headers.add(.accessControlAllowMethods, allowed)
            if let wanted = request.header(.accessControlRequestHeaders) {
                response.headers.add(.accessControlAllowHeaders, wanted.bytes)
            }
            response.headers.add(.accessControlMaxAge, CORSPolicy.maxAgeSeconds)
        }
        return response
    }

    /// Returns a problem of the server itself.
    func fault(_ status: UInt16, _ code: ServerFault.Code, _ detail: String) -> Response {
        options.makeProblem(ServerFault(status, code, detail))
    }

    // MARK: Refusals

    /// Refuses a request. If the rest of its body is short and arrives promptly, the refusal is sent after it, so that the
    /// connection is kept. Otherwise the refusal is sent at once, as the connection's last reply, and nothing that follows is
    /// taken for a request.
    private func refuse(
        _ request: Request, _ response: Response, isLast: Bool = false
    ) -> MHD_Result {
        dropBody(of: request)
        let isLong =
            request.hasBody
            && (request.header(.expect) != nil
                || request.announcedByteCount > UInt64(options.drainByteCountMax))
        if request.refuse(response, readsBody: !isLast && !isLong) {
            return send(response, for: request, isLast: true)
        }
        if request.hasBody {
            request.connection.expect(
                within: min(Self.refusedBodySeconds, options.bodyTimeoutSeconds),
                since: monotonicNanoseconds())
        }
        return .YES
    }

    /// Seconds within which the body of a refused request has to arrive, before the refusal is sent without it.
    private static let refusedBodySeconds = 1

    /// Drops the received part of a body that is refused.
    private func dropBody(of request: Request) {
        request.abortUpload()
        request.inflater = nil
        request.requestBody.reset()
    }

    /// Reads over a piece of a refused body. Too many bytes end the connection.
    func drop(
        _ bytes: UnsafeRawBufferPointer, of request: Request, _ refusal: Response
    ) -> MHD_Result {
        request.receivedByteCount += bytes.count
        request.drained += bytes.count
        return request.drained <= options.drainByteCountMax ? .YES : cut(request, refusal)
    }

    // MARK: Bodies

    private func expectBody(of request: Request, since start: UInt64) {
        request.connection.expect(within: options.bodyTimeoutSeconds, since: start)
    }

    /// Prepares for the body that the route takes. Returns the refusal, if there is one.
    private func beginBody(_ request: Request) -> Response? {
        guard request.hasBody || router.isStreamed(route: request.route) else { return nil }
        if request.hasBody, let refusal = beginInflating(request) { return refusal }
        switch router.routes[request.route].body {
        case .none:
            // The body is read over like a refused one, but the handler runs.
            request.bodyLimit = -1
            request.inflater = nil
            return beginCollecting(request, upTo: options.drainByteCountMax)
        case .buffered:
            request.bodyLimit = min(
                options.bodyByteCountMax, router.routes[request.route].bodyByteCountMax,
                request.grant?.bodyByteCountMax ?? .max)
            if let refusal = beginCollecting(request, upTo: request.bodyLimit) { return refusal }
            // Beyond that, the length that a client announces is not trusted.
            let expected = Int(min(request.announcedByteCount, 64 << 10))
            guard request.inflater == nil else { return nil }
            return request.requestBody.reserve(expected) ? nil : noMemory()
        case .streamed(let start):
            // The sink decompresses the body, on a thread of its own.
            request.inflater = nil
            request.bodyLimit = request.grant?.bodyByteCountMax ?? .max
            guard request.announcedByteCount <= UInt64(request.bodyLimit) else {
                return bodyTooLarge(request.bodyLimit, of: request)
            }
            switch start(request, Upload(request)) {
            case .accept(let sink):
                request.upload = sink
                return nil
            case .refuse(let response): return response
            }
        }
    }

    private func beginInflating(_ request: Request) -> Response? {
        guard let encoding = request.header(.contentEncoding),
            !encoding.equalsIgnoringCase("identity")
        else { return nil }
        guard encoding.equalsIgnoringCase("gzip") || encoding.equalsIgnoringCase("x-gzip"),
            let inflater = GzipReader()
        else {
            return fault(
                415, .unsupportedEncoding,
                "Content-Encoding may be gzip or identity, not '\(encoding.string)'."
            ).with(.acceptEncoding, "gzip")
        }
        request.inflater = inflater
        return nil
    }

    private func beginCollecting(_ request: Request, upTo limit: Int) -> Response? {
        expectBody(of: request, since: request.startedAt)
        return request.announcedByteCount > UInt64(limit) ? bodyTooLarge(limit, of: request) : nil
    }

    /// Returns the refusal of a body or a reply that has no room beside those under way.
    func noMemory() -> Response {
        metrics.refusedMessages.wrappingAdd(1, ordering: .relaxed)
        return fault(
            503, .messageMemoryExceeded,
            "The bodies and replies of other requests use the memory that the service has for them "
                + "(--max-message-memory); try again, or ask for less at a time."
        ).with(.retryAfter, "1")
    }

    private func bodyTooLarge(_ limit: Int, of request: Request) -> Response {
        let route = router.routes[request.route]
        let advice = limit == route.bodyByteCountMax ? route.bodyAdvice : ""
        return fault(
            413, .bodyTooLarge,
            "The body is larger than the \(limit) bytes that this operation accepts."
                + (advice.isEmpty ? "" : " " + advice))
    }

    /// Receives a piece of the body.
    func receive(_ bytes: UnsafeRawBufferPointer, for request: Request) -> MHD_Result {
        if request.bodyLimit < 0 {
            return drop(bytes, of: request, bodyTooLarge(options.drainByteCountMax, of: request))
        }
        request.receivedByteCount += bytes.count
        guard let inflater = request.inflater else {
            return take(bytes, for: request).map { refuse(request, $0) } ?? .YES
        }
        var refusal: Response?
        do throws(GzipReader.Fault) {
            try inflater.read(bytes) { piece in
                refusal = take(piece, for: request)
                return refusal == nil
            }
        } catch { return refuse(request, refusal ?? brokenGzip()) }
        return .YES
    }

    private func brokenGzip() -> Response {
        fault(
            400, .badEncoding,
            "The body is not well-formed gzip, although Content-Encoding says so.")
    }

    /// Gives a decoded piece to the body's sink. Returns the refusal, if there is one.
    private func take(_ bytes: UnsafeRawBufferPointer, for request: Request) -> Response? {
        if let upload = request.upload {
            guard request.receivedByteCount <= request.bodyLimit else {
                return bodyTooLarge(request.bodyLimit, of: request)
            }
            switch upload.receive(bytes) {
            case .more: break
            case .wait: request.pause()
            case .refuse(let response): return response
            }
            return nil
        }
        if request.requestBody.count + bytes.count > request.bodyLimit {
            return bodyTooLarge(request.bodyLimit, of: request)
        }
        if !request.requestBody.append(bytes) { return noMemory() }
        return nil
    }

    // MARK: The handler and its answer

    /// Runs the handler of a complete request.
    func finish(_ request: Request) -> MHD_Result {
        request.connection.expectNothing()
        if let upload = request.upload {
            request.upload = nil
            return apply(upload.finish(), to: request, isForReading: false)
        }
        if let refusal = lastRefusal(of: request) {
            dropBody(of: request)
            return send(refusal, for: request)
        }
        // The route is not copied, because that would count references to everything that it contains.
        let outcome = router.routes[request.route].handler(request)
        return apply(outcome, to: request, isForReading: router.routes[request.route].isForReading)
    }

    /// Returns the refusal of a request after its body has arrived completely; nil if it is not refused.
    private func lastRefusal(of request: Request) -> Response? {
        if let inflater = request.inflater, !inflater.isOver, request.receivedByteCount > 0 {
            return brokenGzip()
        }
        if let refusal = accessRefusal(request) { return refusal }
        let needsPadding = request.requestBody.count > 0 || request.method != .get
        return needsPadding && !request.requestBody.pad() ? noMemory() : nil
    }

    private func apply(_ outcome: Outcome, to request: Request, isForReading: Bool) -> MHD_Result {
        switch outcome {
        case .respond(let response): return send(response, for: request)
        case .later(let start):
            // A wait for the end of a write is not cut, because its client would not learn the outcome.
            guard request.wait(until: isForReading ? request.admission : nil) else {
                return send(stoppingReply(), for: request)
            }
            start(Exchange(request))
            return .YES
        }
    }

    /// Sends the answer with which the connection was resumed.
    func send(_ answer: RequestState.Answer, for request: Request) -> MHD_Result {
        guard let response = response(to: answer) else { return .NO }
        if case .instead = answer { return send(response, for: request, isLast: true) }
        return send(response, for: request)
    }

    /// Returns the reply for an answer; nil if the exchange was abandoned.
    func response(to answer: RequestState.Answer) -> Response? {
        switch answer {
        case .ready(let response), .instead(let response): response
        case .make(let make): make()
        case .source(let source): source.makeResponse()
        case .abandoned: nil
        case .dropped: fault(500, .internalError, "The operation ended without an answer.")
        }
    }

    func stoppingReply() -> Response {
        fault(503, .stopping, "The server is stopping; try again.").with(.retryAfter, "2")
    }
}
