import Glibc
import HoldfastBytes
import HoldfastObjectJSON
import HoldfastThreads
import Synchronization

/// Two files in the folder of a store, by which an operator's command reaches the service that has the store open.
///
/// The operator's process writes the command to `token-request`: its id, then the text of a ``TokenCommand``. The service checks
/// once a second, runs the command, writes the outcome to `token-answer` (the id, `done` or `failed`, then text) and removes the
/// request. Each file appears whole, by a rename. System users with write access to the folder can change its tokens, as the
/// folder is the store's. The files contain only hashes, no secrets. Thread-safe.
package final class TokenMailbox: Sendable {
    /// The reason why a command was not run.
    package enum Failure: Error, Sendable {
        /// The service refused it, with this message.
        case refused(String)
        /// No service picked it up.
        case notTaken
        /// A file cannot be written or read.
        case system(Int32)
    }

    private let directory: String
    private var request: String { directory + "/token-request" }
    private var answer: String { directory + "/token-answer" }
    /// Locked while the service answers.
    private let answering = Mutex(())

    /// The age at which an unanswered command is dropped, in seconds: its sender has already reported a failure.
    private static let secondsMax = 60
    private static let byteCountMax = 4 << 20

    /// The files of a data directory.
    package init(directory: String) { self.directory = directory }

    // MARK: The service

    /// Whether a command waits. Cost: a system call.
    package var hasRequest: Bool { access(request, F_OK) == 0 }

    /// Runs the waiting command, if there is one, and answers it.
    package func answer(_ body: (TokenCommand) throws(RequestFault) -> String) throws(Failure) {
        try answering.withLock { _ throws(Failure) in
            guard let text = try read(request) else { return }
            let parts = text.split(separator: "\n").first?.split(separator: " ", maxSplits: 1) ?? []
            if let id = parts.first, try !isStale() {
                let outcome: String
                do throws(RequestFault) {
                    guard let words = parts.dropFirst().first,
                        let command = try TokenCommand(text: words)
                    else {
                        throw RequestFault(
                            .malformed, "invalid-body",
                            "The service does not know this command; use the program of its version."
                        )
                    }
                    outcome = "done\n" + (try body(command))
                } catch { outcome = "failed\n" + error.detail }
                try write("\(id) \(outcome)", to: answer, mode: 0o600)
            }
            unlink(request)
        }
    }

    private func isStale() throws(Failure) -> Bool {
        var status = stat()
        guard stat(request, &status) == 0 else { throw .system(errno) }
        return time(nil) - status.st_mtim.tv_sec > Self.secondsMax
    }

    // MARK: The operator

    /// Sends a command to the service that has the store open, and waits for the answer. Only one process at a time can do so.
    ///
    /// - `seconds`: The time to wait.
    /// - Returns: The text to show.
    package func ask(_ command: TokenCommand, seconds: Int = 15) throws(Failure) -> String {
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno) }
        defer { close(folder) }
        guard uninterrupted({ flock(folder, LOCK_EX) }) == 0 else { throw .system(errno) }
        // A child process that is just being started has the descriptor too, so closing ours does not release the lock.
        defer { flock(folder, LOCK_UN) }
        let id = RandomID.make()
        unlink(answer)
        // The service may run as another system user than the operator.
        try write("\(id) \(command.text)\n", to: request, mode: 0o644)
        defer {
            unlink(request)
            unlink(answer)
        }
        let end = monotonicMilliseconds() + UInt64(seconds) * 1000
        while monotonicMilliseconds() < end {
            if let text = try read(answer) {
                if text.hasPrefix("\(id) done\n") {
                    return String(text.dropFirst("\(id) done\n".count))
                }
                if text.hasPrefix("\(id) failed\n") {
                    throw .refused(String(text.dropFirst("\(id) failed\n".count)))
                }
            }
            usleep(20_000)
        }
        throw .notTaken
    }

    // MARK: Files

    private func read(_ path: String) throws(Failure) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(errno) }
        guard (0...Int64(Self.byteCountMax)).contains(Int64(status.st_size)) else {
            throw .system(EFBIG)
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = bytes.withUnsafeMutableBytes { readAll(file, into: $0, at: 0) }
        guard count >= 0 else { throw .system(errno) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private func write(_ text: String, to path: String, mode: mode_t) throws(Failure) {
        let temporary = path + ".new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .system(errno) }
        let error = Array(text.utf8).withUnsafeBytes { writeAll($0, to: file) }
        close(file)
        guard error == 0 else { throw .system(error) }
        guard rename(temporary, path) == 0 else { throw .system(errno) }
    }
}
