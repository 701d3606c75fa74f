/// Limits and behaviour of a server. Every limit has a test at it and above it.
package struct ServerOptions: Sendable {
    package var listen: ListenAddress
    /// Threads that serve connections.
    package var threadCount: Int
    /// Connections served at a time, including streams; more are answered 503 and closed.
    package var connectionCountMax = 10_000
    /// Bytes of the request target (414 above).
    package var targetByteCountMax = 16 << 10
    /// Bytes of the request line and the headers together (431 above).
    package var headerByteCountMax = 16 << 10
    /// Bytes of a collected body after decompression (413 above).
    package var bodyByteCountMax = 32 << 20
    /// Bytes of a refused body that are read and dropped to keep the connection; more cut it.
    package var drainByteCountMax = 64 << 10
    /// libmicrohttpd's memory for a connection's headers and buffers.
    var connectionMemoryByteCount: Int {
        max(HeadMemory.usualByteCount, headerByteCountMax + HeadMemory.besideHeadByteCount)
    }
    /// Bytes of the bodies and replies under way of all connections together (503 above).
    package var messageByteCountMax = 512 << 20
    /// Bytes a second that a client has to read of a reply without a time limit of its own; 0 for no limit.
    package var replyByteRateMin = 4 << 10
    /// Seconds over which that rate is measured.
    package var replyRateSeconds = 60
    /// Seconds without any byte after which a connection is closed.
    package var idleTimeoutSeconds = 60
    /// Seconds a client has for its headers, counted from their first byte. Before the first request line, they are counted from
    /// the connection on.
    package var headerTimeoutSeconds = 30
    /// Seconds a client has for a collected body (408 after that).
    package var bodyTimeoutSeconds = 120
    /// Seconds after which a stream is cut if its client takes nothing.
    package var streamTimeoutSeconds = 60
    /// The least bytes of a reply that is compressed for clients that accept it.
    package var compressionByteCountMin = 1024
    package var cors = CORSPolicy()
    /// The proxies whose `X-Forwarded-For` is trusted for a client's address.
    package var trustedProxies: [AddressRange] = []
    /// Makes the bodies of the server's own errors.
    package var makeProblem: @Sendable (ServerFault) -> Response = ServerFault.problem
    /// Finds the next step after a request that no route takes, by its method and decoded segments, and whether its path has
    /// routes of other methods.
    package var nextStep: @Sendable (Method, [String], Bool) -> NextStep? = { _, _, _ in nil }
    /// Answers a request that no route takes, such as the request for a file; nil for 404. It runs on the connection's thread, when
    /// the head has arrived.
    package var answerUnrouted: @Sendable (Request) -> Response? = { _ in nil }
    /// Makes the last event of a stream after the end of its grant.
    package var makeEvent: @Sendable (ServerFault) -> Bytes = { _ in Bytes("") }
    /// Runs when a route is found and before its body is read. A reply refuses the request (for missing rights, for example)
    /// without reading the body. It may set the request's grant.
    package var admit: (@Sendable (Request) -> Response?)?
    /// Runs once a second, on the thread of sockets, before the server ends exchanges without a valid grant. It must not block.
    package var watchAccess: (@Sendable () -> Void)?
    /// Gets one line for each request, in the logger's format; nil if there is no access log.
    package var accessLog: LineWriter?
    package var logger = Logger()

    /// Sets defaults for everything but the address; two threads by default.
    package init(listen: ListenAddress, threadCount: Int = 2) {
        self.listen = listen
        self.threadCount = threadCount
    }
}
