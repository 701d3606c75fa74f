import Glibc

/// A terminal that processes write to, read by lines.
package final class PseudoTerminal {
    /// The path that a process opens.
    package let path: String
    private let descriptor: Int32
    private var unread: [UInt8] = []

    /// Makes a terminal; traps when that fails, as every test that needs one would.
    package init() {
        descriptor = posix_openpt(O_RDWR | O_NOCTTY)
        precondition(
            descriptor >= 0 && grantpt(descriptor) == 0 && unlockpt(descriptor) == 0,
            "can't make a terminal")
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard let name = ptsname(descriptor) else { preconditionFailure("no name of a terminal") }
        path = String(cString: name)
    }

    deinit { close(descriptor) }

    /// Reads the next line, without its end; nil when there are no more, because no process has the terminal open.
    package func readLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = unread[..<end].filter { $0 != UInt8(ascii: "\r") }
                unread.removeSubrange(...end)
                return String(decoding: line, as: UTF8.self)
            }
            var part = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            unread += part[..<count]
        }
    }
}
