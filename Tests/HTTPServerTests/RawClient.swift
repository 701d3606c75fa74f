import Glibc

/// A client that writes bytes as they are given and reads replies, so that tests decide what stands
/// on the wire and when.
final class RawClient: @unchecked Sendable {
    // @unchecked: each client is used by one thread of a test.

    struct Reply {
        var status = 0
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// The body ended as its framing says.
        var isComplete = false

        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        func headers(_ name: String) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }
    }

    struct Failure: Error { let reason: String }

    private(set) var socket: Int32
    private var buffer: [UInt8] = []
    private var start = 0

    init(port: UInt16, receiveBuffer: Int32? = nil, seconds: Int = 20) throws {
        // A child that another test starts must not keep the connection open.
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        if var receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let number = errno
            Glibc.close(socket)
            socket = -1
            throw Failure(reason: "connect: \(String(cString: strerror(number)))")
        }
    }

    deinit { close() }

    func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends everything; false when the server no longer takes it.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    socket, $0.baseAddress.map { $0 + sent }, $0.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Reads more into the buffer; false at the end or after the time-out.
    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        if start > 0, start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        }
        buffer.append(contentsOf: chunk[0..<count])
        return true
    }

    func line() -> String? {
        var index = start
        while true {
            while index + 1 < buffer.count {
                if buffer[index] == 13, buffer[index + 1] == 10 {
                    let text = String(decoding: buffer[start..<index], as: UTF8.self)
                    start = index + 2
                    return text
                }
                index += 1
            }
            if start > 0 {
                buffer.removeFirst(start)
                index -= start
                start = 0
            }
            if !fill() { return nil }
        }
    }

    private func take(_ count: Int) -> [UInt8]? {
        while buffer.count - start < count {
            if !fill() { return nil }
        }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }

    /// The status line and the headers.
    func head() throws -> Reply {
        guard let first = line() else { throw Failure(reason: "no status line") }
        var reply = Reply()
        reply.status = Int(first.split(separator: " ").dropFirst().first ?? "") ?? 0
        while let next = line(), !next.isEmpty {
            let parts = next.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            reply.headers.append((String(parts[0]), value))
        }
        return reply
    }

    /// The next chunk of a chunked body; empty at its end, nil when it is broken off.
    func chunk() -> [UInt8]? {
        guard let size = line(), let count = Int(size, radix: 16) else { return nil }
        guard let bytes = take(count), line() == "" else { return nil }
        return bytes
    }

    /// A whole reply.
    func reply(head isHead: Bool = false) throws -> Reply {
        var reply = try head()
        if reply.status == 100 { reply = try head() }
        if isHead || reply.status == 204 || reply.status == 304 {
            reply.isComplete = true
        } else if reply.header("Transfer-Encoding") == "chunked" {
            while let chunk = chunk() {
                if chunk.isEmpty {
                    reply.isComplete = true
                    break
                }
                reply.body += chunk
            }
        } else if let length = reply.header("Content-Length").flatMap({ Int($0) }) {
            if let body = take(length) {
                reply.body = body
                reply.isComplete = true
            }
        } else {
            while fill() {}
            reply.body = Array(buffer[start...])
            start = buffer.count
            reply.isComplete = true
        }
        return reply
    }

    /// All that comes until the server closes the connection.
    func rest() -> String {
        while fill() {}
        defer { start = buffer.count }
        return String(decoding: buffer[start...], as: UTF8.self)
    }

    /// Sends a request without a body and reads the reply.
    func get(
        _ target: String, method: String = "GET", _ headers: [String] = []
    ) throws -> Reply {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: x"] + headers
        send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try reply(head: method == "HEAD")
    }

    /// Sends a request with a body and reads the reply.
    func send(
        _ method: String, _ target: String, body: [UInt8], _ headers: [String] = []
    ) throws -> Reply {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: x", "Content-Length: \(body.count)"] + headers
        send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        return try reply()
    }

    /// Whether the server closes the connection (without sending anything else).
    func isClosedByServer() -> Bool {
        if start < buffer.count { return false }
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, 0)
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }
}

/// Runs `body` on `count` threads and waits for them.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in TestThread { body(index) } }
    for thread in threads { thread.join() }
}

/// A thread that tests can block.
final class TestThread: @unchecked Sendable {
    // @unchecked: the handle is set once, before anyone joins.
    private var thread = pthread_t()
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        pthread_create(
            &thread, nil,
            { context in
                if let context {
                    Unmanaged<TestThread>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}

/// Waits (10 s at most) until `condition` holds; for effects that have no reply to wait for.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5000 {
        if condition() { return true }
        usleep(2000)
    }
    return condition()
}
