import Glibc

/// Reports the state of the service to systemd, if systemd waits for it (sd_notify(3)).
enum ServiceReport {
    /// The service answers requests.
    static func ready() { send("READY=1") }

    /// The service has begun to stop.
    static func stopping() { send("STOPPING=1") }

    /// Sends a datagram to the socket that `NOTIFY_SOCKET` names. A report that cannot be sent is left out: systemd then ends the
    /// service when it has waited too long.
    private static func send(_ text: String) {
        guard let name = getenv("NOTIFY_SOCKET") else { return }
        let path = UnsafeRawBufferPointer(start: name, count: strlen(name))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.count > 1, path.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return
        }
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyMemory(from: path)
            // The name of an abstract socket is written with @ in place of the first zero.
            if target[0] == UInt8(ascii: "@") { target[0] = 0 }
        }
        let end = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.count } ?? 0
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var message = text
        message.withUTF8 { bytes in
            _ = withUnsafeBytes(of: &address) { raw in
                sendto(
                    socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL),
                    raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(end))
            }
        }
    }
}
