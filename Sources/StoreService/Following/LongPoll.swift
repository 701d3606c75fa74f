/// A request that waits for the first change that concerns its query.
package struct LongPoll: Sendable {
    let sink: any ReplySink
    /// Whose turns it takes.
    let clientKey: ClientKey
    let query: CheckedStream
    /// The version up to which the client knows everything.
    var version: UInt64
    /// Changes of a page.
    let limit: Int
    /// When it is answered without any, in milliseconds of the monotonic clock.
    let deadline: UInt64

    /// The longest wait, in seconds.
    package static let secondsMax = 60

    /// Makes a request.
    package init(
        _ query: CheckedStream, after version: UInt64, limit: Int, deadline: UInt64,
        for client: (sink: any ReplySink, key: ClientKey)
    ) {
        (sink, clientKey) = client
        self.query = query
        self.version = version
        self.limit = limit
        self.deadline = deadline
    }

    /// The same request, when nothing has concerned it up to a newer version.
    func moved(to version: UInt64) -> LongPoll {
        var moved = self
        moved.version = version
        return moved
    }
}
