import Glibc
import Threads

extension Verb {
    /// `holdfast health`
    static let health = Verb(
        name: "health", summary: "Asks a running service whether it is ready; for health checks.",
        options: [listenOption, Option("timeout", "DURATION", "how long to wait", fallback: "3s")],
        notes: "Exit code 0 when it is, else 1. An address of every interface is asked by loopback."
    ) { arguments throws(CommandFailure) in
        let address = ServiceAddress(arguments)
        let timeout = try arguments.seconds("timeout") ?? 3
        let status = try HealthRequest.send(address, timeoutSeconds: timeout)
        guard status == 200 else {
            throw CommandFailure("the service at \(address.authority) answers \(status): not ready")
        }
        Terminal.write("holdfast: ready\n")
        return .success
    }
}

/// One request to `/health/ready`, by hand: a client library would be the larger part of the program.
enum HealthRequest {
    /// Sends it and returns the status of the reply.
    static func send(_ address: ServiceAddress, timeoutSeconds: Int) throws(CommandFailure) -> Int {
        let socket = try connect(address, timeoutSeconds)
        defer { close(socket) }
        let request =
            "GET /health/ready HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n\r\n"
        guard Terminal.write(Array(request.utf8), to: socket) else {
            throw CommandFailure("\(address.authority) does not take a request")
        }
        var reply: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 512)
        while reply.count < 12 {
            let count = uninterrupted { read(socket, &piece, piece.count) }
            guard count > 0 else {
                throw CommandFailure("\(address.authority) does not answer in \(timeoutSeconds) s")
            }
            reply.append(contentsOf: piece[..<count])
        }
        let parts = String(decoding: reply.prefix(12), as: UTF8.self).split(separator: " ")
        guard parts.count == 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else {
            throw CommandFailure("what listens at \(address.authority) does not speak HTTP")
        }
        return status
    }

    private static func connect(
        _ address: ServiceAddress, _ timeoutSeconds: Int
    ) throws(CommandFailure) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, address.port, &hints, &list) == 0, let first = list else {
            throw CommandFailure("'\(address.authority)' is not an address")
        }
        defer { freeaddrinfo(first) }
        var entry: UnsafeMutablePointer<addrinfo>? = first
        while let info = entry?.pointee {
            entry = info.ai_next
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            let socket = Glibc.socket(info.ai_family, type, 0)
            guard socket >= 0 else { continue }
            // The send timeout bounds the connection too (socket(7)).
            var time = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, size)
            setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, size)
            if Glibc.connect(socket, info.ai_addr, info.ai_addrlen) == 0 { return socket }
            close(socket)
        }
        throw CommandFailure("nothing answers at \(address.authority)")
    }
}
