/// Makes the reply to a request that waited, on the connection's own thread, so that the thread that did the
/// work (the only writer, for example) spends no time on encoding.
package protocol ResponseSource: AnyObject, Sendable {
    /// The reply. Called at most once.
    func makeResponse() -> Response
}
