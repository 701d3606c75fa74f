import Glibc
import HoldfastThreads

/// The resource usage of the process, from /proc (proc(5)).
struct ProcessFigures {
    /// Memory in RAM, mapped files included.
    var residentByteCount = 0
    /// Memory in RAM that belongs to no file but to the process itself.
    var anonymousByteCount = 0
    /// Open file descriptors.
    var openFileCount = 0
    /// Processor time of all threads, user and system.
    var cpuSeconds = 0.0
    /// When the process started, in seconds since 1970; 0 when the system does not tell.
    var startSeconds = 0.0

    /// Reads the figures of this moment; one that can't be read is 0. Cost: some system calls.
    static func read() -> ProcessFigures {
        var figures = ProcessFigures()
        for line in text(of: "/proc/self/status").split(separator: "\n") {
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard fields.count >= 2, let kibibytes = Int(fields[1]) else { continue }
            if fields[0] == "VmRSS:" { figures.residentByteCount = kibibytes << 10 }
            if fields[0] == "RssAnon:" { figures.anonymousByteCount = kibibytes << 10 }
        }
        if let folder = opendir("/proc/self/fd") {
            while let entry = readdir(folder) {
                // Everything but `.`, `..` and the descriptor of this very look.
                if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) {
                    figures.openFileCount += 1
                }
            }
            closedir(folder)
            figures.openFileCount -= 1
        }
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            for time in [usage.ru_utime, usage.ru_stime] {
                figures.cpuSeconds += Double(time.tv_sec) + Double(time.tv_usec) / 1e6
            }
        }
        figures.startSeconds = started
        return figures
    }

    private static let started: Double = {
        // The 22nd field, counted behind the name in parentheses, which may hold anything.
        let stat = text(of: "/proc/self/stat")
        guard let end = stat.lastIndex(of: ")") else { return 0 }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return 0 }
        for line in text(of: "/proc/stat").split(separator: "\n") where line.hasPrefix("btime ") {
            guard let boot = Double(line.dropFirst(6)) else { break }
            return boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        }
        return 0
    }()

    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = bytes.withUnsafeMutableBytes { readAll(file, into: $0, at: 0) }
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
