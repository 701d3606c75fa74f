import Glibc

/// A terminal that processes write to, read by lines.
package final class PseudoTerminal {
    /// The path that a process opens.
    package let path: String
    private let descriptor: Int32
    private var unread: [UInt8] = []

    // Requests of ioctl_tty(2), which are macros in C.
    private static let unlock: UInt = 0x4004_5431
    private static let number: UInt = 0x8004_5430

    /// Makes a terminal; traps when that fails, as every test that needs one would.
    package init() {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number) = (Int32(0), Int32(0))
        precondition(
            descriptor >= 0 && ioctl(descriptor, Self.unlock, &isLocked) == 0
                && ioctl(descriptor, Self.number, &number) == 0, "can't make a terminal")
        path = "/dev/pts/\(number)"
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
