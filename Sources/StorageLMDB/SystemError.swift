/// A failed system call.
struct SystemError: Error {
    /// The call's `errno`.
    let code: Int32
}
