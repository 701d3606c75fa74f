import Glibc
import HoldfastHTTPServer
import HoldfastThreads

/// The body of a reply that is a backup, read while it is sent.
final class BackupSource: PullSource {
    private let file: Int32
    private var offset = 0

    /// Takes over an open file.
    init(_ file: Int32) { self.file = file }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        let count = uninterrupted { pread(file, buffer.baseAddress, buffer.count, offset) }
        guard count >= 0 else { return .failed }
        if count == 0 { return .end }
        offset += count
        return .bytes(count)
    }

    func close() { Glibc.close(file) }
}
