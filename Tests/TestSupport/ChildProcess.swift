import Glibc
import Synchronization

/// A process of a test's own, talked to by lines over its standard input and output.
package final class ChildProcess {
    /// The process, until ``wait()`` has returned.
    package let identifier: pid_t

    private let input: Int32
    private let output: Int32
    private var unread: [UInt8] = []
    private var hasEnded = false

    /// Two processes started at once would inherit each other's pipes.
    private static let startLock = Mutex<Void>(())

    /// Starts the program at `path`, with this process's environment and `environment` above it.
    ///
    /// Standard error is shared with the test.
    package init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) {
        var merged: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { merged[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        merged.merge(environment) { $1 }
        let (child, descriptors) = Self.startLock.withLock { _ in
            Self.start(path, [path] + arguments, merged.map { "\($0)=\($1)" })
        }
        identifier = child
        (input, output) = descriptors
    }

    deinit {
        if !hasEnded {
            kill()
            wait()
        }
        close(input)
        close(output)
    }

    /// Writes a line to the process's standard input. Ignored when it has ended.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }

    /// Reads the next line of standard output, without its end; nil when there are no more.
    package func readLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            var part = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            unread += part[..<count]
        }
    }

    /// Whether standard output has something to read within `milliseconds`.
    package func hasOutput(withinMilliseconds milliseconds: Int32) -> Bool {
        if !unread.isEmpty { return true }
        var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, milliseconds) > 0
    }

    /// Sends a line and returns the next one that comes back.
    package func ask(_ line: String) -> String? {
        send(line)
        return readLine()
    }

    /// Sends a signal; the default can't be caught.
    package func kill(_ signal: Int32 = SIGKILL) {
        if !hasEnded { _ = Glibc.kill(identifier, signal) }
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: The exit status, or minus the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        hasEnded = true
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    /// Returns the path of an executable of this package, which is built beside the tests.
    package static func path(ofProduct name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        precondition(count > 0, "/proc/self/exe names the test's own executable")
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/\(name)"
    }

    private static func start(
        _ path: String, _ arguments: [String], _ environment: [String]
    ) -> (pid_t, (input: Int32, output: Int32)) {
        // A child that has ended must not end the test that writes to it.
        signal(SIGPIPE, SIG_IGN)
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        precondition(pipe(&toChild) == 0 && pipe(&fromChild) == 0, "can't make a pipe")
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

        var argumentPointers = arguments.map { strdup($0) } + [nil]
        var environmentPointers = environment.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var child = pid_t()
        let code = posix_spawnp(
            &child, path, &actions, &attributes, &argumentPointers, &environmentPointers)
        precondition(code == 0, "can't start \(path): error \(code)")
        close(toChild[0])
        close(fromChild[1])
        return (child, (toChild[1], fromChild[0]))
    }
}
