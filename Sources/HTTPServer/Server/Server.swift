import CHoldfastMicroHTTPD
import Glibc
import Synchronization
import HoldfastThreads

/// An HTTP/1.1 server on libmicrohttpd: it routes requests to handlers and sends their replies.
///
/// Connections are served by a fixed number of threads (epoll); no handler may block them. One more
/// thread accepts connections and serves event streams. The server runs from `init` to ``stop``.
// @unchecked: constants after `init` (`daemon` and `loop` are set before the first connection); what changes is in atomics and
// in a mutex.
package final class Server: @unchecked Sendable {
    let options: ServerOptions
    let router: Router
    let logger: Logger
    let refusedOrigins: RefusedOrigins
    /// Counters; they may be read at any time.
    package let metrics: Metrics
    /// Where the server listens; with port 0 this has the port that was found.
    package let addresses: [ListenAddress]

    private(set) var daemon: OpaquePointer?
    private(set) var loop: SocketLoop?
    private let daemonOptions: UnsafeMutablePointer<shim_daemon_options>
    /// The open connections, by identity: libmicrohttpd's own record may have the address of one that is gone.
    private let connections = Mutex<[UInt64: Connection]>([:])
    /// How many new connections libmicrohttpd may be handed.
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
            MessageMemory(byteCountMax: options.messageByteCountMax))
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
        // Kept until `stop`: the threads call back with this pointer.
        daemonOptions.pointee.context = Unmanaged.passRetained(self).toOpaque()
        do throws(ServerError) {
            let loop = try SocketLoop(self, listening: sockets)
            self.loop = loop
            let started = BatchScheduling.starting { shim_MHD_start_daemon(daemonOptions) }
            guard let daemon = started else {
                throw .system("MHD_start_daemon", errno: errno)
            }
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
                .warning, "fewer files may be open than connections are allowed",
                ("openFileLimit", .number(limit)),
                ("connectionLimit", .number(options.connectionCountMax)))
        }
    }

    // MARK: Connections

    /// Whether a request may still wait for its answer.
    var allowsWaiting: Bool { !isCutting.load(ordering: .acquiring) }
    /// Whether replies ask the client to close.
    var closesConnections: Bool { isStopping.load(ordering: .relaxed) }

    /// Counts a connection that was just accepted; false when there are too many.
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

    /// The reply to a connection above the limit.
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

    /// The open connection of an identity.
    func connection(_ identity: UInt64) -> Connection? { connections.withLock { $0[identity] } }

    /// Ends requests that take too long and replies whose access has ended. Called once a second.
    func watchConnections(_ now: UInt64) {
        let all = connections.withLock { Array($0.values) }
        for connection in all { connection.watch(now) }
    }

    // MARK: The end

    /// Stops gracefully; call it once, from a thread that is not one of the server's.
    ///
    /// No connection is accepted any more; event streams are ended; requests that run, wait or are
    /// being received get `graceSeconds` to finish; then what waits, is not here whole, or begins is answered 503 and all
    /// connections are closed. Returns when no handler or callback will run any more.
    package func stop(graceSeconds: Int = 10) {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        isStopping.store(true, ordering: .releasing)
        loop?.post(.stopListening)
        loop?.post(.endStreams)
        wait(seconds: graceSeconds) {
            self.metrics.inFlight.load(ordering: .relaxed) == 0
                && self.metrics.streams.load(ordering: .relaxed) == 0
        }
        // libmicrohttpd must not be stopped with suspended connections: it ends the process. From
        // here no handler suspends one, and those that are suspended are resumed.
        isCutting.store(true, ordering: .sequentiallyConsistent)
        let all = connections.withLock { Array($0.values) }
        for connection in all { connection.stop() }
        loop?.post(.closeStreams)
        wait(seconds: 2) {
            self.metrics.inFlight.load(ordering: .relaxed) == 0
        }
        // First the thread that adds connections.
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
