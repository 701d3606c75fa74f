import Glibc
import Synchronization
import Threads

/// An HTTP/1.1 server: it routes requests to handlers and sends their replies (RFC 9110, RFC 9112).
///
/// Connections are served by a fixed number of threads (epoll); no handler may block them. One more
/// thread accepts connections and serves event streams. The server runs from `init` to ``stop``.
// @unchecked: constants after `init` (the loops are set before the first connection); what changes is in atomics.
package final class Server: @unchecked Sendable {
    let options: ServerOptions
    let router: Router
    let logger: Logger
    /// Counters; they may be read at any time.
    package let metrics: Metrics
    /// Where the server listens; with port 0 this has the port that was found.
    package let addresses: [ListenAddress]

    private(set) var loop: SocketLoop?
    private var connectionLoops: [ConnectionLoop] = []
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
        do {
            router = try Router(routes)
        } catch {
            throw ServerError(code: .badRoutes, description: "the table of routes: \(error)")
        }
        metrics = Metrics(operationIDs: routes.map(\.operationID))
        var random = SystemRandomNumberGenerator()
        identities = Atomic(random.next())
        let listeners = try options.listen.open(backlog: 4096)
        addresses = listeners.map(\.address)
        try start(listeners.map(\.socket))
    }

    private func start(_ sockets: [Int32]) throws(ServerError) {
        checkOpenFiles()
        do throws(ServerError) {
            let loop = try SocketLoop(self, listening: sockets)
            self.loop = loop
            for _ in 0..<max(1, options.threadCount) {
                connectionLoops.append(try ConnectionLoop(self))
            }
            let result = BatchScheduling.starting {
                Result { () throws(ServerError) in
                    for loop in connectionLoops { try loop.start() }
                }
            }
            try result.get()
            try loop.start()
        } catch {
            for socket in sockets { close(socket) }
            for loop in connectionLoops { loop.stop() }
            connectionLoops = []
            loop = nil
            throw error
        }
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

    /// What a connection above the limit is told.
    func overloadReply() -> Response {
        fault(
            503, .tooManyConnections,
            "The server serves \(options.connectionCountMax) connections already; try again."
        ).with(.retryAfter, "1")
    }

    /// Gives a connection that was accepted to the thread that has the fewest.
    func serve(_ socket: Int32, peer: String) {
        let identity = identities.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        let loop = connectionLoops.min {
            $0.connectionCount.load(ordering: .relaxed)
                < $1.connectionCount.load(ordering: .relaxed)
        }
        guard let loop else { return }
        loop.connectionCount.wrappingAdd(1, ordering: .relaxed)
        loop.post(.adopt(Connection(self, loop, socket: socket, peer: peer, identity: identity)))
    }

    func connectionClosed() { metrics.connections.wrappingSubtract(1, ordering: .relaxed) }

    /// Has the threads look for what takes too long. Called once a second.
    func watchConnections() {
        for loop in connectionLoops { loop.post(.watch) }
    }

    // MARK: The end

    /// Stops gracefully; call it once, from a thread that is not one of the server's.
    ///
    /// No connection is accepted any more; event streams are ended; requests that run, wait or are
    /// being received get `graceSeconds` to finish; then what waits, or is not here whole, is answered 503 and all
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
        // From here on nothing waits: what would is answered at once.
        isCutting.store(true, ordering: .sequentiallyConsistent)
        for loop in connectionLoops { loop.post(.cancelWaits) }
        loop?.post(.closeStreams)
        wait(seconds: 2) {
            self.metrics.inFlight.load(ordering: .relaxed) == 0
        }
        // The streams' loop last: the others may have replies that linger, and it closes their sockets.
        for loop in connectionLoops { loop.stop() }
        loop?.post(.exit)
        loop?.join()
        for loop in connectionLoops { loop.closeLeft() }
        connectionLoops = []
        loop = nil
    }

    private func wait(seconds: Int, until isDone: () -> Bool) {
        let deadline = monotonicNanoseconds() + UInt64(max(0, seconds)) * 1_000_000_000
        while !isDone(), monotonicNanoseconds() < deadline { usleep(2000) }
    }
}
