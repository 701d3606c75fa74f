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
        do throws(RequestFault) {
            subscriber.query = try subscriber.query.under(position.transaction.rows, served)
        } catch {
            return subscriber.sink.end(sending: events.error(error, of: subscriber.query))
        }
        guard let channel = channel(subscriber.query, position) as? ResultChannel else { return }
        channel.join(subscriber, reason, at: position.version)
    }

    /// Has the followers of a channel that the feed has let go follow the same result from where they are.
    func carryOver(_ channel: ResultChannel) {
        perform { position in
            do throws(RequestFault) {
                let query = try channel.stream.under(position.transaction.rows, self.served)
                let next = self.channel(query, position) as? ResultChannel
                next?.adopt(channel, at: position.version)
            } catch {
                channel.fail(error)
            }
        } orElse: {
            channel.end(version: 0)
        }
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
