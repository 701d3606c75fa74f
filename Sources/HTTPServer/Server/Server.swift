import CHoldfastMicroHTTPD
import Glibc
import HoldfastThreads
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd: it routes requests to handlers and sends their replies.
///
/// A fixed number of threads (epoll) serves the connections; no handler may block them. One more thread accepts connections and
/// serves event streams. The server runs from `init` to ``stop``.
// @unchecked: constants after `init` (`daemon` and `loop` are set before the first connection); the variable state is in atomics
// and in a mutex.
package final class Server: @unchecked Sendable {
    let options: ServerOptions
    let router: Router
    let logger: Logger
    let refusedOrigins: RefusedOrigins
    /// Counters; they may be read at any time.
    package let metrics: Metrics
    /// The addresses at which the server listens; for port 0 they have the port that was found.
    package let addresses: [ListenAddress]

    private(set) var daemon: OpaquePointer?
    private(set) var loop: SocketLoop?
    private let daemonOptions: UnsafeMutablePointer<shim_daemon_options>
    /// The open connections, by identity: libmicrohttpd's own record may have the address of a connection that is gone.
    private let connections = Mutex<[UInt64: Connection]>([:])
    /// The number of new connections that libmicrohttpd may be handed.
    let allowance: ConnectionAllowance
    private let identities: Atomic<UInt64>
    private let isStopping = Atomic<Bool>(false)
    private let isCutting = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)

    /// Opens the listening sockets and starts all threads.
    ///
    /// - Throws: ``ServerError``: an address that is in use or unknown, routes that contradict each
    ///   other, or a system call that failed.
    package init(options: ServerOptions, routes: [Route]) throws(ServerError) {
        self.options = options
        logger = options.logger
        refusedOrigins = RefusedOrigins(options.logger)
        do {
            router = try Router(routes)
        } catch {
            throw ServerError(code: .badRoutes, description: "the table of routes: \(error)")
        }
        metrics = Metrics(
            operationIDs: routes.map(\.operationID),
            .messages(byteCountMax: options.messageByteCountMax))
        var random = SystemRandomNumberGenerator()
        identities = Atomic(random.next())
        let threadCount = max(1, options.threadCount)
        allowance = ConnectionAllowance(threadCount: threadCount)
        let listeners = try options.listen.open(backlog: 4096)
        addresses = listeners.map(\.address)
        daemonOptions = UnsafeMutablePointer<shim_daemon_options>.allocate(capacity: 1)
        daemonOptions.initialize(
            to: shim_daemon_options(
                threads: UInt32(threadCount),
                // The acceptor refuses connections above the limit; libmicrohttpd divides its own
                // limit by the threads, so it needs room for an uneven spread.
                connection_limit: UInt32(options.connectionCountMax + 64 * threadCount),
                connection_memory_bytes: options.connectionMemoryByteCount,
                timeout_seconds: UInt32(options.idleTimeoutSeconds), context: nil,
                access: accessHandler, completed: requestCompleted,
                connection: connectionChanged, target: targetReceived, log: libraryLog))
        try start(listeners.map(\.socket))
    }

    private func start(_ sockets: [Int32]) throws(ServerError) {
        checkOpenFiles()
        // Released by `stop`, because the threads call back with this pointer until then.
        daemonOptions.pointee.context = Unmanaged.passRetained(self).toOpaque()
        do throws(ServerError) {
            let loop = try SocketLoop(self, listening: sockets)
            self.loop = loop
            let started = BatchScheduling.starting { shim_MHD_start_daemon(daemonOptions) }
            guard let daemon = started else { throw .system("MHD_start_daemon", errno: errno) }
            self.daemon = daemon
            do throws(ServerError) {
                try loop.start()
            } catch {
                MHD_stop_daemon(daemon)
                throw error
            }
        } catch {
            for socket in sockets { close(socket) }
            loop = nil
            Unmanaged.passUnretained(self).release()
            throw error
        }
    }

    deinit {
        daemonOptions.deinitialize(count: 1)
        daemonOptions.deallocate()
    }

    private func checkOpenFiles() {
        let limit = OpenFileLimit.raise()
        // Storage, logs and threads need some descriptors as well.
        let wanted = options.connectionCountMax + 64
        OpenFileLimit.makeRoom(for: min(limit, wanted))
        if limit < wanted {
            logger.log(
                .warning, "the limit of open files is lower than the limit of connections",
                ("openFileLimit", .number(limit)),
                ("connectionLimit", .number(options.connectionCountMax)))
        }
    }

    // MARK: Connections

    /// Whether a request may still wait for its answer.
    var allowsWaiting: Bool { !isCutting.load(ordering: .acquiring) }
    /// Whether replies ask the client to close.
    var closesConnections: Bool { isStopping.load(ordering: .relaxed) }

    /// Counts a connection that was just accepted. Returns false if there are too many.
    func mayAdmitConnection() -> Bool {
        let count = metrics.connections.wrappingAdd(1, ordering: .relaxed).newValue
        if count <= options.connectionCountMax { return true }
        connectionRefused()
        return false
    }

    func connectionRefused() {
        metrics.connections.wrappingSubtract(1, ordering: .relaxed)
        metrics.refusedConnections.wrappingAdd(1, ordering: .relaxed)
    }

    /// Returns the reply to a connection above the limit.
    func overloadReply() -> Response {
        fault(
            503, .tooManyConnections,
            "The server serves \(options.connectionCountMax) connections already; try again."
        ).with(.retryAfter, "1")
    }

    func open(_ handle: OpaquePointer) -> Connection {
        let number = identities.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        let identity = number & ~SocketLoop.connectionBit
        let connection = Connection(self, handle, identity: identity)
        connections.withLock { $0[identity] = connection }
        loop?.watchClient(of: connection)
        if allowance.give() { loop?.post(.acceptAgain) }
        return connection
    }

    func closed(_ connection: Connection) {
        loop?.forgetClient(of: connection)
        connection.closed()
        _ = connections.withLock { $0.removeValue(forKey: connection.identity) }
        metrics.connections.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Returns the open connection with an identity.
    func connection(_ identity: UInt64) -> Connection? { connections.withLock { $0[identity] } }

    /// Ends requests that take too long and replies that the client may no longer receive. Called once a second.
    func watchConnections(_ now: UInt64) {
        let all = connections.withLock { Array($0.values) }
        for connection in all { connection.watch(now) }
    }

    // MARK: The end

    /// Stops gracefully. Call it once, from a thread that does not belong to the server.
    ///
    /// No more connections are accepted, and event streams are ended. Requests that run, wait or are being received get
    /// `graceSeconds` to finish. After that, requests that wait, are incomplete or begin are answered 503, and all connections
    /// are closed. Returns when no handler or callback will run any more.
    package func stop(graceSeconds: Int = 10) {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        isStopping.store(true, ordering: .releasing)
        loop?.post(.stopListening)
        loop?.post(.endStreams)
        wait(seconds: graceSeconds) {
            self.metrics.inFlight.load(ordering: .relaxed) == 0
                && self.metrics.streams.load(ordering: .relaxed) == 0
        }
        // libmicrohttpd must not be stopped with suspended connections: it ends the process. From here on handlers suspend no
        // connection, and suspended connections are resumed.
        isCutting.store(true, ordering: .sequentiallyConsistent)
        let all = connections.withLock { Array($0.values) }
        for connection in all { connection.stop() }
        loop?.post(.closeStreams)
        wait(seconds: 2) { self.metrics.inFlight.load(ordering: .relaxed) == 0 }
        // The thread that adds connections ends first.
        loop?.post(.exit)
        loop?.join()
        MHD_stop_daemon(daemon)
        loop?.closeLeft()
        daemon = nil
        loop = nil
        Unmanaged.passUnretained(self).release()
    }

    private func wait(seconds: Int, until isDone: () -> Bool) {
        let deadline = monotonicNanoseconds() + UInt64(max(0, seconds)) * 1_000_000_000
        while !isDone(), monotonicNanoseconds() < deadline { usleep(2000) }
    }
}

// Exchanges that go on when their grant ends.
extension Server {
    /// Returns the refusal of a request if its grant has ended; nil while the grant is valid, and for a request without a grant.
    func accessRefusal(_ request: Request) -> Response? {
        request.admission?.ending.map { accessEnded($0) }
    }

    /// Returns the refusal of a request that its ended grant no longer allows.
    func accessEnded(_ end: Grant.End) -> Response {
        let fault = Self.accessEnded(end)
        let response = options.makeProblem(fault)
        // RFC 6750, section 3.
        guard fault.status == 401 else { return response }
        return response.with(.wwwAuthenticate, "Bearer realm=\"holdfast\", error=\"invalid_token\"")
    }

    /// Returns the fault that reports the end of a grant.
    static func accessEnded(_ end: Grant.End) -> ServerFault {
        switch end {
        case .revoked:
            ServerFault(
                401, .accessEnded,
                "The token was revoked, was changed or has expired, its user was signed out, or the service needs a token since the "
                    + "request began. Send a valid token to continue.")
        case .lowered:
            ServerFault(
                403, .accessEnded,
                "The token's right was lowered, or its user's rules changed, so the request is no longer allowed as it began."
            )
        }
    }
}

extension SocketLoop {
    /// The number of parts into which the streams are divided, so that events do not wait until several thousand streams are
    /// checked.
    static let accessPartCount: UInt64 = 8

    /// Ends the streams of a part that have no valid admission. An event that reports this replaces the queued events.
    func endAccess(inPart part: UInt64) {
        for token in roles.keys where token % Self.accessPartCount == part {
            guard case .stream(let socket) = roles[token], let end = socket.admission?.ending else {
                continue
            }
            socket.admission = nil
            socket.stream.end(with: server.options.makeEvent(Server.accessEnded(end)))
        }
    }
}

// The end of requests: figures, log lines, callbacks.
extension Server {
    /// Completes a request that libmicrohttpd is done with. Called exactly once for each request that began.
    func complete(_ request: Request, _ reason: MHD_RequestTerminationCode) {
        let isLate = reason == .REQUEST_TERMINATED_TIMEOUT_REACHED
        let ending = request.end(isLate ? lateReply() : nil)
        request.abortUpload()
        // No other reply is being sent, and libmicrohttpd closes the connection.
        if let refusal = ending.refusal ?? ending.answer.flatMap(response(to:)) {
            write(refusal, for: request)
        }
        // The request is counted as completed before it is removed from those under way, so that it is always counted in one of
        // the two.
        if ending.isCounted {
            var record = record(request, forLater: false)
            record.isCut = ending.isSent && reason != .REQUEST_TERMINATED_COMPLETED_OK
            finished(record, request)
        }
        if ending.wasBegun { metrics.inFlight.wrappingSubtract(1, ordering: .releasing) }
    }

    func record(_ request: Request, forLater: Bool) -> RequestRecord {
        var record = RequestRecord(
            route: request.route, method: request.method, status: request.status,
            startedAt: request.startedAt, byteCount: request.sentByteCount,
            receivedByteCount: request.receivedByteCount)
        if forLater, options.accessLog != nil {
            record.path = request.loggedPath.string
            record.id = request.id
            record.client = request.client
        }
        return record
    }

    private func finished(_ record: RequestRecord, _ request: Request) {
        finished(record) { text in
            text.member("path", request.loggedPath.bytes)
            request.withRequestID { text.member("requestId", $0) }
            text.member("client", request.client)
        }
    }

    /// Counts an event stream that is over.
    func streamFinished(_ record: RequestRecord) {
        finished(record) { text in
            text.member("path", record.path)
            text.member("requestId", record.id)
            text.member("client", record.client)
        }
        metrics.connections.wrappingSubtract(1, ordering: .relaxed)
        metrics.streams.wrappingSubtract(1, ordering: .releasing)
    }

    /// Counts a request that is over, and writes its line to the access log.
    private func finished(_ record: RequestRecord, _ rest: (inout LogLine) -> Void) {
        let microseconds = Int((monotonicNanoseconds() &- record.startedAt) / 1000)
        metrics.count(record, microseconds: microseconds)
        guard let log = options.accessLog else { return }
        var text = LogLine(logger.format, capacity: 384)
        text.timestamp()
        text.member("method", record.method.name.bytes)
        text.member("status", Int(record.status))
        if record.isCut { text.member("reply", "cut") }
        text.member("bytes", record.byteCount)
        text.member("microseconds", microseconds)
        if record.route >= 0 { text.member("operation", router.routes[record.route].operationID) }
        rest(&text)
        log.write(text.finish())
    }
}

extension Request {
    /// The target without its query, because filters contain values of objects.
    package var loggedPath: RequestText {
        let target = rawTarget.bytes
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        return RequestText(UnsafeBufferPointer(rebasing: target[0..<end]))
    }
}

/// The origins whose pages were not allowed to read a reply. Each is logged once, as far as they are remembered. Thread-safe.
final class RefusedOrigins: Sendable {
    private let logger: Logger
    private let told = Mutex<Set<String>>([])

    /// The most origins that are remembered and logged.
    private static let countMax = 100
    private static let byteCountMax = 256

    init(_ logger: Logger) { self.logger = logger }

    /// Notes the origin of a refused page. Cost: a lock, and for a new origin a line of the log.
    func note(_ origin: String) {
        guard origin.utf8.count <= Self.byteCountMax,
            told.withLock({ $0.count < Self.countMax && $0.insert(origin).inserted })
        else { return }
        logger.log(
            .warning,
            "a page of another origin may not read a reply: --cors-origin names the allowed origins; without it, "
                + "a page may read replies if the store has tokens and the page sends one",
            ("origin", .text(origin)))
    }
}
