import Glibc
import HoldfastThreads
import Synchronization

/// Where the command writes: results on standard output, everything else on standard error.
enum Terminal {
    /// Writes text to standard output, behind the line of ``progress(_:)``.
    static func write(_ text: String) {
        endProgress()
        write(Array(text.utf8), to: 1)
    }

    /// Writes a line to standard error, behind the line of ``progress(_:)``.
    static func complain(_ text: String) {
        endProgress()
        write(Array("holdfast: \(text)\n".utf8), to: 2)
    }

    /// Writes all bytes; false when the reader is gone or the medium full.
    @discardableResult
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    /// Writes all bytes; false when the reader is gone or the medium full.
    static func write(_ buffer: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        writeAll(buffer, to: descriptor) == 0
    }

    /// When ``progress(_:)`` has written last, in milliseconds of the monotonic clock; 0 for a line that has ended.
    private static let shownAt = Mutex<UInt64>(0)

    /// Replaces the last line on the terminal, at most five times a second. Does nothing if standard error is no terminal.
    static func progress(_ text: @autoclosure () -> String) {
        guard isatty(2) == 1 else { return }
        let now = monotonicMilliseconds()
        let isDue = shownAt.withLock { shownAt in
            if now < shownAt + 200 { return false }
            shownAt = now
            return true
        }
        if isDue { write(Array("\r\(text())\u{1B}[K".utf8), to: 2) }
    }

    /// Ends the line of ``progress(_:)``, if there is one.
    static func endProgress() {
        let isShown = shownAt.withLock { shownAt in
            defer { shownAt = 0 }
            return shownAt > 0
        }
        if isShown { write(Array("\r\u{1B}[K".utf8), to: 2) }
    }
}
