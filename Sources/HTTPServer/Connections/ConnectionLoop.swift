import CEpoll
import Glibc
import Synchronization
import Threads

/// A thread that serves connections: it reads their requests, runs handlers and sends replies, none of which may block.
///
/// Sockets are added to epoll once, edge-triggered, so that no connection costs a system call for waiting, however long
/// its answer takes; what was ready and was not read is remembered in the connection.
// @unchecked: `queue` is Sendable and `connectionCount` an atomic; everything else belongs to the loop's thread.
final class ConnectionLoop: @unchecked Sendable {
    enum Message {
        case adopt(Connection)
        case resume(Connection)
        /// A second has passed.
        case watch
        /// Every wait ends, because the server stops.
        case cancelWaits
        case exit
    }

    /// Memory for what is received or made and used at once.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
    /// The reply that is being made: its head, and a short body.
    let reply = ReplyBuffer()
    /// When the thread woke last, in monotonic nanoseconds.
    private(set) var now = monotonicNanoseconds()
    /// How many connections the thread has, and is about to have.
    let connectionCount = Atomic<Int>(0)

    private let server: Server
    private let queue: LoopQueue<Message>
    private var connections: [Connection] = []
    /// Connections that have more to do than fits into one turn.
    private var continuing: [Connection] = []
    private var thread: SystemThread?

    /// Opens the descriptors of the loop.
    init(_ server: Server) throws(ServerError) {
        self.server = server
        queue = try LoopQueue()
    }

    deinit { scratch.deallocate() }

    /// Starts the thread.
    func start() throws(ServerError) {
        thread = try LoopQueue<Message>.startThread { self.run() }
    }

    /// Has the thread end, and waits for that.
    func stop() {
        post(.exit)
        thread?.join()
        thread = nil
    }

    /// Closes connections that came after the thread had ended, when nobody accepts any more.
    func closeLeft() {
        var messages: [Message] = []
        _ = queue.take(&messages, mayRest: true)
        for case .adopt(let connection) in messages { connection.close() }
    }

    /// Hands the thread something to do. Any thread. Cost: a lock, and a system call when it rests.
    func post(_ message: Message) { queue.post(message) }

    // MARK: The thread

    /// Has the connection go on after the others. The loop's thread.
    func continueLater(_ connection: Connection) {
        if connection.continues { return }
        connection.continues = true
        continuing.append(connection)
    }

    /// Forgets a connection, whose socket tells of nothing more. The loop's thread.
    func remove(_ connection: Connection) {
        connectionCount.wrappingSubtract(1, ordering: .relaxed)
        guard connection.index >= 0, let last = connections.popLast() else { return }
        // Closing would not end the events while a child that is just being started has the socket, too.
        _ = shim_epoll_remove(queue.epoll, connection.socket)
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        connection.index = -1
    }

    private func run() {
        let events = UnsafeMutableBufferPointer<shim_ready>.allocate(capacity: 256)
        defer { events.deallocate() }
        var messages: [Message] = []
        var mayRest = false
        while true {
            let ready = queue.wait(events, milliseconds: mayRest ? -1 : 0)
            now = monotonicNanoseconds()
            for event in ready { handle(event) }
            if !continuing.isEmpty {
                let unfinished = continuing
                continuing = []
                for connection in unfinished {
                    connection.continues = false
                    connection.advance()
                }
            }
            mayRest = queue.take(&messages, mayRest: continuing.isEmpty)
            guard handle(messages) else { break }
        }
        for connection in Array(connections) { connection.close() }
    }

    private func handle(_ event: shim_ready) {
        guard let raw = UnsafeRawPointer(bitPattern: UInt(event.token)) else { return }
        // A connection is in the table as long as its socket is in epoll, and an event names a socket once.
        Unmanaged<Connection>.fromOpaque(raw).takeUnretainedValue().ready(event.events)
    }

    /// Returns false when the thread is to end.
    private func handle(_ messages: [Message]) -> Bool {
        for message in messages {
            switch message {
            case .adopt(let connection): adopt(connection)
            case .resume(let connection): connection.resume()
            // Copies, since those that are closed leave the table.
            case .watch: for connection in Array(connections) { connection.watch(now) }
            case .cancelWaits:
                for connection in Array(connections) { connection.cancelWait() }
            case .exit: return false
            }
        }
        return true
    }

    private func adopt(_ connection: Connection) {
        connection.index = connections.count
        connections.append(connection)
        let token = UInt64(UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque()))
        let events = shim_readable | shim_writable | shim_peer_closed | shim_edges
        if shim_epoll_add(queue.epoll, connection.socket, token, events) != 0 { connection.close() }
    }
}
