import Glibc

/// A failed system call.
struct SystemError: Error {
    /// The call's `errno`.
    let code: Int32
    /// Whether the call was to make written bytes durable; then the content of the medium is unknown.
    var isOfSync = false

    /// Whether the medium had no room.
    var isOfFullMedium: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
