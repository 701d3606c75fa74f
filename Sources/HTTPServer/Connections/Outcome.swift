/// The decision of a handler.
package enum Outcome: Sendable {
    /// The reply is ready.
    case respond(Response)
    /// The reply comes later, from any thread. The connection is suspended first and the closure
    /// called after that, so that no answer can come too early. The closure runs on the
    /// connection's thread and should only hand the exchange over.
    case later(@Sendable (Exchange) -> Void)
}
