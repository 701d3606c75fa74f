import Glibc

/// The work under way, told when the process traps, so that the round can be repeated.
///
/// One thread sets it. A trap's handler only reads bytes that are there already and calls `write`.
enum CrashNote {
    private static let byteCountMax = 256
    /// The note as text; written by ``set(_:)`` alone, before the round that it tells of.
    nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(
        capacity: byteCountMax)
    nonisolated(unsafe) private static var byteCount = 0

    /// Has the note told when the process traps.
    static func install() {
        set("nothing has begun\n")
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
            signal(number) { number in
                _ = Glibc.write(STDERR_FILENO, CrashNote.text, CrashNote.byteCount)
                // The system's own way of ending goes on from here, with a core dump if it makes one.
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// The last note.
    static var current: String {
        String(decoding: UnsafeBufferPointer(start: text, count: byteCount), as: UTF8.self)
    }

    /// Notes what begins.
    static func set(_ note: String) {
        byteCount = 0
        for byte in note.utf8.prefix(byteCountMax) {
            text[byteCount] = byte
            byteCount += 1
        }
    }
}
