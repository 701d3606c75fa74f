import HTTPServer
/// A request that waits for the first change that concerns its query.
final class LongPoll: Sendable {
    let exchange: Exchange
    let query: CheckedStream
    /// The version up to which the client knows everything.
    let version: UInt64
    /// Changes of a page.
    let limit: Int
    /// When it is answered without any, in milliseconds of the monotonic clock.
    let deadline: UInt64

    init(
        _ exchange: Exchange, _ query: CheckedStream, version: UInt64, limit: Int, deadline: UInt64
    ) {
        self.exchange = exchange
        self.query = query
        self.version = version
        self.limit = limit
        self.deadline = deadline
    }

    /// The same request, when nothing has concerned it up to a newer version.
    func moved(to version: UInt64) -> LongPoll {
        LongPoll(exchange, query, version: version, limit: limit, deadline: deadline)
    }
}
