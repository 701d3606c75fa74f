import Glibc
import HoldfastThreads

/// A file, or standard input for `-`, as it is: what is gzip stays that.
final class RawInput {
    private let descriptor: Int32
    private let path: String
    private var beginning: ArraySlice<UInt8> = []
    /// Whether the bytes are gzip.
    private(set) var isGzip = false

    /// Opens a file and reads its beginning.
    init(_ path: String) throws(CommandFailure) {
        let descriptor = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("'\(path)' can't be opened: \(FileSystem.describe(errno))")
        }
        self.descriptor = descriptor
        self.path = path
        var bytes: [UInt8] = []
        while bytes.count < 2 {
            var byte: UInt8 = 0
            let count = uninterrupted { Glibc.read(descriptor, &byte, 1) }
            guard count >= 0 else {
                throw CommandFailure("'\(path)' can't be read: \(FileSystem.describe(errno))")
            }
            if count == 0 { break }
            bytes.append(byte)
        }
        beginning = bytes[...]
        isGzip = bytes == [0x1F, 0x8B]
    }

    deinit { close(descriptor) }

    /// Reads the next bytes: how many; 0 at the end, nil when the file can't be read.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int? {
        if !beginning.isEmpty {
            let count = min(beginning.count, target.count)
            target.copyBytes(from: beginning.prefix(count))
            beginning = beginning.dropFirst(count)
            return count
        }
        let count = uninterrupted { Glibc.read(descriptor, target.baseAddress, target.count) }
        return count >= 0 ? count : nil
    }
}
