import Glibc
import Synchronization

@testable import HoldfastHTTPServer

/// Runs `body` with a server on a free port, and stops it.
func withServer(
    _ routes: [Route], _ configure: (inout ServerOptions) -> Void = { _ in },
    _ body: (Server, UInt16) throws -> Void
) throws {
    var options = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
    options.logger.level = .error
    configure(&options)
    let server = try Server(options: options, routes: routes)
    defer { server.stop(graceSeconds: 2) }
    try body(server, server.addresses[0].port)
}

/// Counts and notes, from any thread.
final class Notes: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ note: String) { list.withLock { $0.append(note) } }
    var all: [String] { list.withLock { $0 } }
    func count(_ note: String) -> Int { list.withLock { $0.filter { $0 == note }.count } }
}

/// Threads that answer exchanges, as a writer would.
final class Worker: @unchecked Sendable {
    // @unchecked: the queue is in a mutex; `thread` is set once.
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let isStopped = Atomic<Bool>(false)
    private var thread: TestThread?

    init() {
        thread = TestThread { [unowned self] in self.run() }
    }

    func async(_ job: @escaping @Sendable () -> Void) { queue.withLock { $0.append(job) } }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        thread?.join()
        thread = nil
    }

    private func run() {
        while !isStopped.load(ordering: .acquiring) {
            let jobs = queue.withLock { queue in
                defer { queue = [] }
                return queue
            }
            for job in jobs { job() }
            if jobs.isEmpty { usleep(100) }
        }
    }
}

/// A route that answers with its path parameters and query, one a line.
let echo = Route(.get, "/echo/{a}/{b}", "echo") { request in
    var text = "\(request.parameter(0).string)|\(request.parameter(1).string)"
    for (name, value) in request.query { text += "\n\(name.string)=\(value.string)" }
    return .respond(Response(200, .text, text))
}

let hello = Route(.get, "/hello", "hello") { _ in .respond(Response(200, .text, "hello")) }

/// A route that answers with the body's length and sum.
let count = Route(.post, "/count", "count", body: .buffered) { request in
    .respond(Response(200, .text, summary(request.body)))
}

func summary(_ bytes: UnsafeRawBufferPointer) -> String {
    "\(bytes.count) \(bytes.reduce(0) { $0 &+ Int($1) })"
}

func summary(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { summary($0) } }

func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// A route that a smuggled request would reach.
func victim(_ notes: Notes) -> Route {
    Route(.delete, "/victim", "victim") { _ in
        notes.add("deleted")
        return .respond(Response(204))
    }
}
