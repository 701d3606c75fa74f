/// How a request ended.
package enum Completion: Sendable {
    /// The whole reply was handed to the kernel.
    case sent
    /// The client left, a timeout cut the connection, or the server stopped before that.
    case aborted
}
