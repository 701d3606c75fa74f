import Glibc

/// The host and the port at which a server listens.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or a numeric IPv4 or IPv6 address, without brackets.
    package let host: String
    /// The port; 0 lets the system choose a free one.
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, `[v6]:port`.
    ///
    /// - Throws: ``ServerError`` `.badAddress` with the expected form.
    package init(_ text: String) throws(ServerError) {
        let bad = ServerError(
            code: .badAddress,
            description: "'\(text)' is not an address: write HOST:PORT, such as 127.0.0.1:8080 or "
                + "[::1]:8080")
        guard let colon = text.lastIndex(of: ":") else { throw bad }
        guard let port = UInt16(text[text.index(after: colon)...]) else { throw bad }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw bad
        }
        guard !host.isEmpty else { throw bad }
        self.init(host: host, port: port)
    }

    /// `host:port`, with brackets around IPv6 addresses.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Opens a listening socket for each address of the host. The host `::` has the addresses of both families, each with a socket
    /// of its own, so that a client's IPv4 address stays one.
    func open(backlog: Int32) throws(ServerError) -> [(socket: Int32, address: ListenAddress)] {
        let opened = try openAddresses(backlog)
        // With port 0 the system chose the port of the first socket.
        guard host == "::", let port = opened.first?.address.port else { return opened }
        do throws(ServerError) {
            return opened
                + (try ListenAddress(host: "0.0.0.0", port: port).openAddresses(backlog))
        } catch {
            for (socket, _) in opened { close(socket) }
            throw error
        }
    }

    private func openAddresses(
        _ backlog: Int32
    ) throws(ServerError) -> [(socket: Int32, address: ListenAddress)] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &list)
        guard failure == 0, let first = list else {
            throw ServerError(
                code: .badAddress,
                description: "host '\(host)' is unknown: \(String(cString: gai_strerror(failure)))")
        }
        defer { freeaddrinfo(first) }
        var opened: [(socket: Int32, address: ListenAddress)] = []
        var entry: UnsafeMutablePointer<addrinfo>? = first
        do throws(ServerError) {
            while let info = entry?.pointee {
                opened.append(try open(info, backlog))
                entry = info.ai_next
                // With port 0 each family would get a port of its own; the first is enough.
                if port == 0 { break }
            }
        } catch {
            for (socket, _) in opened { close(socket) }
            throw error
        }
        return opened
    }

    private func open(
        _ info: addrinfo, _ backlog: Int32
    ) throws(ServerError) -> (socket: Int32, address: ListenAddress) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(info.ai_family, type, 0)
        guard socket >= 0 else { throw .system("socket", errno: errno) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if info.ai_family == AF_INET6 {
            setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
        }
        guard bind(socket, info.ai_addr, info.ai_addrlen) == 0, listen(socket, backlog) == 0 else {
            let number = errno
            close(socket)
            throw ListenAddress.failure(number, self)
        }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let actual = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(socket, address, &length) == 0 ? portNumber(address) : port
            }
        }
        return (socket, ListenAddress(host: host, port: actual))
    }

    private static func failure(_ number: Int32, _ address: ListenAddress) -> ServerError {
        switch number {
        case EADDRINUSE:
            ServerError(
                code: .addressInUse,
                description: "\(address) is in use: another process listens there; stop it or "
                    + "choose another port")
        case EACCES, EPERM:
            ServerError(
                code: .notPermitted,
                description: "listening on \(address) is not permitted: ports below 1024 need "
                    + "CAP_NET_BIND_SERVICE")
        case EADDRNOTAVAIL:
            ServerError(
                code: .badAddress, description: "\(address.host) is not an address of this machine")
        default: .system("listening on \(address)", errno: number)
        }
    }
}

/// The port of an IPv4 or IPv6 address, 0 for others.
func portNumber(_ address: UnsafePointer<sockaddr>) -> UInt16 {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
        UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port
            .bigEndian
    case AF_INET6:
        UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port
            .bigEndian
    default: 0
    }
}

/// Returns `address:port`, with brackets around IPv6 addresses.
func describe(_ address: UnsafePointer<sockaddr>) -> String {
    var text = [CChar](repeating: 0, count: 64)
    let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
    let byteCount = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    guard
        getnameinfo(
            address, socklen_t(byteCount), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            == 0
    else { return "unknown" }
    let host = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return ListenAddress(host: host, port: portNumber(address)).description
}

/// The reason why a server could not start.
package struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The code that callers switch on.
    package enum Code: Sendable { case badAddress, addressInUse, notPermitted, badRoutes, system }
    package let code: Code
    /// The failure and the remedy, for the operator.
    package let description: String

    static func system(_ call: String, errno number: Int32) -> ServerError {
        ServerError(
            code: .system, description: "\(call) failed: \(String(cString: strerror(number)))")
    }
}
