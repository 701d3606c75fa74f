import ObjectJSON
import ObjectStore
import Threads

/// Results that are followed as a whole: live lists, sections and aggregates. On the feed's thread.
extension StreamHub {
    /// Has a stream wait for the result that it follows, once its client has read.
    ///
    /// - `reason`: Why what it knows is void; nil for one that knows the result at its version.
    func join(
        _ subscriber: StreamSubscriber, _ position: ChangeFeed.Position, _ reason: ResetReason?
    ) {
        guard subscriber.flush(), subscriber.hasRoom else { return wait(subscriber) }
        guard position.transaction.rows === subscriber.query.names.schema else {
            return check(subscriber, reason)
        }
        guard let channel = channel(subscriber.query, position) as? ResultChannel else { return }
        channel.join(subscriber, reason, at: position.version)
    }

    /// Has a worker check what a stream follows against the present schema, and then has it join again.
    private func check(_ subscriber: StreamSubscriber, _ reason: ResetReason?) {
        check(subscriber.query, for: [subscriber]) { checked, position in
            switch checked {
            case .success(let query):
                subscriber.query = query
                self.join(subscriber, position, reason)
            case .failure(let fault):
                subscriber.sink.end(sending: self.events.error(fault, of: subscriber.query))
            }
        }
    }

    /// Has the followers of a channel that the feed has let go follow the same result from where they are.
    func carryOver(_ channel: ResultChannel) {
        check(channel.stream, for: channel.followers) { checked, position in
            switch checked {
            case .success(let query):
                guard position.transaction.rows === query.names.schema else {
                    return self.carryOver(channel)
                }
                let next = self.channel(query, position) as? ResultChannel
                next?.adopt(channel, at: position.version)
            case .failure(let fault): channel.fail(fault)
            }
        }
    }

    /// Checks a query against the present schema by a worker, where it has not been, and goes on on the feed's thread.
    private func check(
        _ query: CheckedStream, for followers: [StreamSubscriber],
        _ body:
            @escaping @Sendable (Result<CheckedStream, RequestFault>, ChangeFeed.Position) -> Void
    ) {
        guard let first = followers.first else { return }
        @Sendable func end() { for follower in followers { follower.sink.end() } }
        let isTaken = served.scheduler.submit(
            Job(first.clientKey) { _ in
                let checked = Result { () throws(RequestFault) in
                    try query.under(self.served.store.catalog.rows, self.served)
                }
                self.perform({ body(checked, $0) }, orElse: end)
            })
        if isTaken { return }
        perform({ _ in self.retry { self.check(query, for: followers, body) } }, orElse: end)
    }

    /// Has a worker compute a result, and hands it over on the feed's thread: nil where it has to be tried again.
    ///
    /// - Returns: Whether a worker will.
    func compute(
        _ computation: ResultComputation, for followers: [StreamSubscriber],
        _ body:
            @escaping @Sendable (
                Result<ResultComputation.Outcome?, RequestFault>, ChangeFeed.Position
            ) -> Void
    ) -> Bool {
        guard let first = followers.first else { return false }
        let sinks = followers.map(\.sink)
        return served.scheduler.submit(
            Job(
                first.clientKey, until: served.queryDeadline,
                isAwaited: { sinks.contains { !$0.isClosed } }
            ) { job in
                // It has waited too long for its turn, which is no fault of its query.
                let isLate = job.isOverdue
                let found = Result { () throws(RequestFault) in
                    isLate
                        ? nil
                        : try self.served.withRead(in: job) { read throws(RequestFault) in
                            try computation.run(in: read)
                        }
                }
                if job.isRestarted { return }
                let isOver = job.mustNotAnswer
                self.perform {
                    body(isOver ? .success(nil) : found, $0)
                } orElse: {
                }
            })
    }
}
