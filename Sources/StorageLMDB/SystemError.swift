import Glibc

/// A failed system call.
struct SystemError: Error {
    /// The call's `errno`.
    let code: Int32
    /// Whether it was to make durable what had been written: what is on the medium is unknown then.
    var isOfSync = false

    /// Whether there was no room.
    var isOfFullMedium: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
