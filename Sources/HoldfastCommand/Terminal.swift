import Glibc
import HoldfastThreads

/// Where the command writes: results on standard output, everything else on standard error.
enum Terminal {
    /// Writes text to standard output.
    static func write(_ text: String) { write(Array(text.utf8), to: 1) }

    /// Writes a line to standard error.
    static func complain(_ text: String) { write(Array("holdfast: \(text)\n".utf8), to: 2) }

    /// Writes all bytes; false when the reader is gone or the medium full.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    /// Writes all bytes; false when the reader is gone or the medium full.
    static func write(_ buffer: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        writeAll(buffer, to: descriptor) == 0
    }

    /// Whether standard error is a terminal.
    static var isWatched: Bool { isatty(2) == 1 }

    /// Replaces the last line on the terminal; nothing when standard error is none.
    static func progress(_ text: String) {
        guard isWatched else { return }
        write(Array("\r\(text)\u{1B}[K".utf8), to: 2)
    }

    /// Ends the line of ``progress(_:)``.
    static func endProgress() {
        guard isWatched else { return }
        write(Array("\r\u{1B}[K".utf8), to: 2)
    }
}
