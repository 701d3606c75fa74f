import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Results that are followed as a whole: live lists, sections and aggregates. On the feed's thread.
extension StreamHub {
    /// Lets the followers of a channel that the feed has dropped continue with the same result. A worker first checks their query
    /// against the present schema.
    func carryOver(_ channel: StreamChannel) {
        let followers = channel.followers + (channel.result?.arrivals ?? [])
        guard channel.stream.viewMark.isEmpty, let first = followers.first else {
            // Each follower has its own view.
            for follower in channel.take() + (channel.result?.takeArrivals() ?? []) {
                fallBehind(follower)
            }
            return
        }
        @Sendable func end() { for follower in followers { follower.end(self.served) } }
        jobs.submit(
            Job(first.caller.client) { _ in
                let checked = Result { () throws(RequestFault) in
                    try self.served.withRead(for: first.caller) { read throws(RequestFault) in
                        try channel.stream.under(read, self.served)
                    }
                }
                self.perform({ self.carryOver(channel, to: checked, $0) }, orElse: end)
            }
        ) {
            self.perform({ _ in self.retry { self.carryOver(channel) } }, orElse: end)
        }
    }

    private func carryOver(
        _ channel: StreamChannel, to checked: Result<CheckedStream, RequestFault>,
        _ position: ChangeFeed.Position
    ) {
        switch checked {
        case .success(let query):
            guard position.transaction.rows.identity == query.names.schema.identity else {
                return carryOver(channel)
            }
            let next = self.channel(query, position)
            next.result?.adopt(channel, at: position.version, in: next)
        case .failure(let fault): channel.fail(fault)
        }
    }

    /// Computes a result on a worker, and hands it over on the feed's thread. The result is nil if it has to be tried again.
    ///
    /// - Returns: Whether a stream still waits for the result.
    func compute(
        _ computation: ResultComputation, for followers: [Follower],
        _ body:
            @escaping @Sendable (
                Result<ResultComputation.Outcome?, RequestFault>, ChangeFeed.Position
            ) -> Void
    ) -> Bool {
        guard let first = followers.first else { return false }
        jobs.submit(
            Job(
                first.caller.client, until: served.queryDeadline,
                isAwaited: { followers.contains { !$0.isGone } }
            ) { job in
                var found: Result<ResultComputation.Outcome?, RequestFault> = .success(nil)
                do throws(RequestFault) {
                    // The job may have waited too long for its turn, which is not the query's fault.
                    let outcome =
                        job.isOverdue
                        ? .gone
                        : try self.served.withRead(for: first.caller, in: job) {
                            read throws(RequestFault) in try computation.run(in: read)
                        }
                    switch outcome {
                    case .reply(let result): found = .success(result)
                    case .again: return
                    case .gone: break
                    }
                } catch { found = .failure(error) }
                self.perform { [found] in body(found, $0) }
            }
        ) {
            self.perform { body(.success(nil), $0) }
        }
        return true
    }
}
