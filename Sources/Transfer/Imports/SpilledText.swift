import HoldfastBytes
import Glibc
import HoldfastThreads

/// Text that is stored until it is needed again: in memory up to a bound, and then in a file without a
/// name, which is gone with the process however that ends. One thread at a time.
final class SpilledText {
    /// `O_TMPFILE` of Linux, a macro that Swift does not import: a bit of its own and `O_DIRECTORY`.
    private static let temporaryFile: Int32 = 0o20_000_000 | O_DIRECTORY

    private let memory = ByteBuffer(capacity: 4096)
    private let memoryByteCountMax: Int
    private let directory: String?
    private var file: Int32 = -1
    private var fileByteCount = 0
    /// Whether text could not be written to the file or read from it.
    private(set) var hasFailed = false

    /// Makes an empty text.
    ///
    /// - `directory`: Where the file is made; nil keeps all in memory.
    init(memoryByteCountMax: Int, directory: String?) {
        self.memoryByteCountMax = memoryByteCountMax
        self.directory = directory
    }

    deinit { if file >= 0 { close(file) } }

    /// Adds text and returns where it begins.
    func append(_ text: UnsafeRawBufferPointer) -> Int {
        if fileByteCount == 0, memory.count + text.count <= memoryByteCountMax || directory == nil {
            memory.append(text)
            return memory.count - text.count
        }
        write(text)
        fileByteCount += text.count
        return memory.count + fileByteCount - text.count
    }

    /// Appends `count` bytes that ``append(_:)`` took at `offset`.
    func read(_ offset: Int, _ count: Int, to buffer: ByteBuffer) {
        if offset < memory.count || count == 0 {
            buffer.append(UnsafeRawBufferPointer(rebasing: memory.bytes[offset..<(offset + count)]))
            return
        }
        let start = buffer.count
        buffer.appendZeros(count)
        let target = UnsafeMutableRawBufferPointer(start: buffer.base + start, count: count)
        if readAll(file, into: target, at: offset - memory.count) != count { hasFailed = true }
    }

    private func write(_ text: UnsafeRawBufferPointer) {
        if file < 0, let directory {
            file = open(directory, O_RDWR | Self.temporaryFile | O_CLOEXEC, 0o600)
            if file < 0 {
                // Not every file system has such files.
                let path = "\(directory)/.import-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
                file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                unlink(path)
            }
        }
        guard writeAll(text, to: file, at: fileByteCount) == 0 else {
            hasFailed = true
            return
        }
    }
}
