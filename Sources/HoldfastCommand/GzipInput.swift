import CHoldfastZlib
import Glibc

/// Reads a file or standard input, and unpacks it when it is gzip.
final class GzipInput {
    private let file: gzFile
    private let path: String
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)

    /// Opens a file; `-` is standard input.
    init(_ path: String) throws(CommandFailure) {
        let descriptor = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("'\(path)' can't be opened: \(String(cString: strerror(errno)))")
        }
        guard let file = gzdopen(descriptor, "rb") else {
            close(descriptor)
            throw CommandFailure("there is no memory to read '\(path)'")
        }
        gzbuffer(file, 256 << 10)
        self.file = file
        self.path = path
    }

    deinit {
        gzclose_r(file)
        piece.deallocate()
    }

    /// The next bytes, valid until the next call; empty at the end.
    func read() throws(CommandFailure) -> UnsafeRawBufferPointer {
        let count = gzread(file, piece.baseAddress, UInt32(piece.count))
        var code: Int32 = 0
        let message = gzerror(file, &code)
        // At the end zlib tells of a gzip text that stops in the middle.
        guard count >= 0, count > 0 || code == Z_OK || code == Z_STREAM_END else {
            if code == Z_ERRNO {
                throw CommandFailure("'\(path)' can't be read: \(String(cString: strerror(errno)))")
            }
            let detail = message.map { String(cString: $0) } ?? "unknown"
            throw CommandFailure("'\(path)' is not whole gzip: \(detail)")
        }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<Int(count)])
    }
}
