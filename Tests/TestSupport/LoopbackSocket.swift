import Glibc

/// Sockets to servers on this machine, for the clients of tests.
package enum LoopbackSocket {
    /// Opens a socket and connects it; a read of it gives up after 30 s without a byte.
    ///
    /// - `receiveByteCountMax`: The size of its receive buffer; nil for the system's own.
    /// - Returns: The descriptor, for the caller to close. Without a listener it isn't connected.
    package static func connect(port: UInt16, receiveByteCountMax: Int32? = nil) -> Int32 {
        // A child that another test starts must not keep the connection open.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_INET, type, 0)
        if var size = receiveByteCountMax {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, size) }
        }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return socket
    }
}
