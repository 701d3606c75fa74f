import Glibc
import HoldfastThreads

/// A body that is read from a file while it is sent.
package final class FileSource: PullSource {
    private let file: Int32
    private var offset: Int
    private let end: Int?

    /// Takes over an open file.
    ///
    /// - `range`: The bytes to send. The connection is cut if the file no longer has them. Nil for all bytes up to the end.
    package init(_ file: Int32, _ range: Range<Int>? = nil) {
        self.file = file
        offset = range?.lowerBound ?? 0
        end = range?.upperBound
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        let wanted = min(buffer.count, end.map { $0 - offset } ?? buffer.count)
        if wanted == 0 { return .end }
        let count = uninterrupted { pread(file, buffer.baseAddress, wanted, offset) }
        if count < 0 || count == 0 && end != nil { return .failed }
        if count == 0 { return .end }
        offset += count
        return .bytes(count)
    }

    package func close() { Glibc.close(file) }
}
