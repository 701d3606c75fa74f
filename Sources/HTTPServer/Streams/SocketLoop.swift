import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc
import HoldfastThreads

/// Flags with which a write never blocks and never raises SIGPIPE.
let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

/// A thread for the sockets that libmicrohttpd does not serve: listening sockets, event streams, and connections that linger
/// until their client has read the last reply. It also notices clients that leave, and looks for requests that are too slow once
/// a second.
///
/// libmicrohttpd could listen itself and could suspend streams, but in 0.9.75 `MHD_quiesce_daemon` races with the workers' own
/// removal of the listening socket (a panic), and each resume walks the list of all suspended connections: with 9,000 streams
/// suspended, every write would pay for them.
// @unchecked: `queue` is Sendable; everything else belongs to the loop's thread after `start`.
final class SocketLoop: @unchecked Sendable {
    enum Message {
        case adopt(StreamSocket)
        case ready(StreamSocket)
        case linger(Int32)
        case acceptAgain
        case stopListening
        case endStreams
        case closeStreams
        case exit
    }

    enum Role {
        case stream(StreamSocket)
        case lingering(Int32, until: UInt64)
    }

    let server: Server
    private let queue: LoopQueue<Message>
    var roles: [UInt64: Role] = [:]
    /// The listening sockets, by token.
    var listeners: [UInt64: Int32] = [:]
    private var nextToken: UInt64 = 1
    var lingeringCount = 0
    /// Whether accepting is paused until connections can be taken again.
    var isAcceptPaused = false
    var scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var thread: SystemThread?
    private var nextWatch: UInt64 = 0
    private var watchCount: UInt64 = 0

    /// Opens the descriptors of the loop.
    init(_ server: Server, listening sockets: [Int32]) throws(ServerError) {
        self.server = server
        queue = try LoopQueue()
        for socket in sockets {
            let token = makeToken()
            listeners[token] = socket
            guard watch(socket, token: token, events: shim_readable) else {
                throw .system("epoll_ctl", errno: errno)
            }
        }
    }

    deinit { scratch.deallocate() }

    /// The descriptor of epoll.
    var epoll: Int32 { queue.epoll }

    func start() throws(ServerError) { thread = try LoopQueue<Message>.startThread { self.run() } }

    /// Waits until the thread has ended, after `.exit`.
    func join() { thread?.join() }

    /// Posts a message to the thread. Any thread.
    func post(_ message: Message) { queue.post(message) }

    /// Wakes the loop because `socket` has something to write. Any thread.
    func wake(for socket: StreamSocket) { post(.ready(socket)) }

    // MARK: The thread

    func add(_ role: Role) -> UInt64 {
        let token = makeToken()
        roles[token] = role
        return token
    }

    private func makeToken() -> UInt64 {
        defer { nextToken += 1 }
        return nextToken
    }

    func watch(_ socket: Int32, token: UInt64, events: UInt32) -> Bool {
        shim_epoll_add(epoll, socket, token, events) == 0
    }

    // MARK: Clients of connections

    /// The bit that marks tokens that are identities of connections. No identity has it set itself.
    static let connectionBit: UInt64 = 1 << 63

    /// Begins to watch whether the client of a connection leaves. libmicrohttpd does not notice it while the connection is
    /// suspended. Any thread.
    func watchClient(of connection: Connection) {
        let token = connection.identity | Self.connectionBit
        // If this fails, a client that leaves while its request waits is not noticed.
        _ = watch(connection.socket, token: token, events: shim_peer_closed | shim_edges)
    }

    /// Ends the watch before the socket is closed. Any thread.
    func forgetClient(of connection: Connection) { _ = shim_epoll_remove(epoll, connection.socket) }

    private func run() {
        let events = UnsafeMutableBufferPointer<shim_ready>.allocate(capacity: 256)
        defer { events.deallocate() }
        var messages: [Message] = []
        var mayRest = false
        while true {
            let wait = nextWatch &- min(nextWatch, monotonicNanoseconds())
            let ready = queue.wait(events, milliseconds: mayRest ? Int32(wait / 1_000_000) + 1 : 0)
            for event in ready { handle(event) }
            mayRest = queue.take(&messages)
            guard handle(messages) else { break }
            let now = monotonicNanoseconds()
            if now >= nextWatch {
                nextWatch = now + 1_000_000_000 / Self.accessPartCount
                endAccess(inPart: watchCount % Self.accessPartCount)
                if watchCount % Self.accessPartCount == 0 { everySecond(now) }
                watchCount += 1
            }
        }
        for (_, role) in roles {
            switch role {
            case .lingering(let socket, _): close(socket)
            case .stream(let socket): remove(socket)
            }
        }
        roles = [:]
        stopListening()
    }

    private func handle(_ event: shim_ready) {
        let token = event.token
        if token & Self.connectionBit != 0 {
            server.connection(token & ~Self.connectionBit)?.noticeShut()
            return
        }
        switch roles[token] {
        case .stream(let socket): handle(socket, events: event.events)
        case .lingering(let socket, _):
            if !drain(socket) { endLingering(token, socket) }
        // Otherwise the event is for messages, or for a socket that an earlier event has ended.
        case nil: if let socket = listeners[token] { accept(from: socket) }
        }
    }

    /// Returns false when the thread is to end.
    private func handle(_ messages: [Message]) -> Bool {
        for message in messages {
            switch message {
            case .adopt(let socket): adopt(socket)
            case .ready(let socket): if socket.token != nil { write(socket) }
            case .linger(let socket): linger(socket)
            case .acceptAgain: resumeAccepting()
            case .stopListening: stopListening()
            case .endStreams: eachStream { $0.stream.end() }
            case .closeStreams: eachStream { remove($0) }
            case .exit: return false
            }
        }
        return true
    }

    private func eachStream(_ body: (StreamSocket) -> Void) {
        let streams = roles.values.compactMap { role -> StreamSocket? in
            if case .stream(let socket) = role { socket } else { nil }
        }
        for stream in streams { body(stream) }
    }

    private func everySecond(_ now: UInt64) {
        if isAcceptPaused {
            server.allowance.refill()
            resumeAccepting()
        }
        if lingeringCount > 0 {
            for (token, role) in roles {
                if case .lingering(let socket, let until) = role, now >= until {
                    endLingering(token, socket)
                }
            }
        }
        server.options.watchAccess?()
        server.watchConnections(now)
    }

    /// Closes the sockets of messages that were posted after the thread had ended.
    func closeLeft() {
        var messages: [Message] = []
        _ = queue.take(&messages)
        for message in messages {
            switch message {
            case .linger(let socket): close(socket)
            case .adopt(let stream):
                adopt(stream)
                remove(stream)
            case .ready, .acceptAgain, .stopListening, .endStreams, .closeStreams, .exit: continue
            }
        }
    }

    // MARK: Lingering

    /// Shuts the sending side of a socket, and reads the rest for a while. A socket that is closed with unread bytes resets the
    /// connection, and the client may lose the refusal that it was sent.
    private func linger(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_WR))
        guard lingeringCount < 256, drain(socket) else {
            close(socket)
            return
        }
        let token = add(.lingering(socket, until: monotonicNanoseconds() + 10_000_000_000))
        lingeringCount += 1
        if !watch(socket, token: token, events: shim_readable | shim_peer_closed) {
            endLingering(token, socket)
        }
    }

    private func endLingering(_ token: UInt64, _ socket: Int32) {
        roles[token] = nil
        lingeringCount -= 1
        close(socket)
    }

    /// Reads and drops the available bytes. Returns false at the end of the peer's data.
    func drain(_ socket: Int32) -> Bool {
        for _ in 0..<64 {
            let count = recv(socket, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            return count < 0 && (errno == EAGAIN || errno == EINTR)
        }
        return true
    }
}

extension SocketLoop {
    /// Accepts the waiting connections, up to a bound, so that streams get their turn.
    func accept(from listener: Int32) {
        for _ in 0..<64 {
            guard server.allowance.allowsOne else { return pauseAccepting() }
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let socket = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    shim_accept(listener, $0, &length)
                }
            }
            guard socket >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    server.logger.log(
                        .error, "no descriptors are left: new connections wait",
                        ("hint", .text("raise the limit of open files (LimitNOFILE, ulimit -n)")))
                    pauseAccepting()
                case ECONNABORTED, EINTR, EPROTO: continue
                default: break
                }
                return
            }
            guard server.mayAdmitConnection() else {
                refuse(socket)
                continue
            }
            server.allowance.take()
            let added = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    MHD_add_connection(server.daemon, socket, $0, length)
                }
            }
            // libmicrohttpd closes the socket itself when it cannot serve it.
            if added == .NO {
                server.connectionRefused()
                if server.allowance.give() { post(.acceptAgain) }
            }
        }
    }

    private func refuse(_ socket: Int32) {
        let reply = server.rawReply(server.overloadReply())
        _ = reply.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, sendFlags) }
        post(.linger(socket))
    }

    func stopListening() {
        for socket in listeners.values {
            // A child process that is just being started has the socket too; the shutdown keeps clients from connecting to it.
            shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }
        listeners = [:]
    }

    /// Stops watching the listening sockets, which are ready as long as a connection waits. ``resumeAccepting()`` watches them
    /// again: when the allowance has been given back, and once a second.
    private func pauseAccepting() {
        isAcceptPaused = true
        for socket in listeners.values { _ = shim_epoll_remove(epoll, socket) }
    }

    func resumeAccepting() {
        guard isAcceptPaused else { return }
        isAcceptPaused = false
        for (token, socket) in listeners
        where !watch(socket, token: token, events: shim_readable) && errno != EEXIST {
            isAcceptPaused = true
        }
    }
}
