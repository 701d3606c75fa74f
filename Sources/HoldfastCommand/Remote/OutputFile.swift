import Glibc

/// A file that a verb writes, or standard output for `-`. A file that is there is replaced.
final class OutputFile {
    private let descriptor: Int32
    private let path: String
    /// Whether the bytes go to standard output.
    var isStandardOutput: Bool { descriptor == 1 }
    /// Whether the reader of standard output has closed it, as `head` does.
    private(set) var isUnread = false
    /// How many bytes were written.
    private(set) var byteCount = 0

    /// Opens a file for writing.
    ///
    /// - `mode`: The permissions of a new file, which the process's mask restricts.
    init(_ path: String, mode: mode_t = 0o666) throws(CommandFailure) {
        self.path = path
        descriptor = path == "-" ? 1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        if descriptor < 0 { throw unwritable }
    }

    deinit { if descriptor > 1 { close(descriptor) } }

    /// Writes a piece; false when it can't be written.
    func write(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard Terminal.write(piece, to: descriptor) else {
            isUnread = errno == EPIPE && isStandardOutput
            return false
        }
        byteCount += piece.count
        return true
    }

    /// Makes the file durable.
    func finish() throws(CommandFailure) {
        if !isStandardOutput, fsync(descriptor) != 0, errno != EINVAL { throw unwritable }
    }

    /// Why the file can't be written, by `errno`.
    var unwritable: CommandFailure {
        CommandFailure(
            "\(path == "-" ? "standard output" : "'\(path)'") can't be written: "
                + FileSystem.describe(errno))
    }
}
