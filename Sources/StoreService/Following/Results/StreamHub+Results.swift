import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads

/// Results that are followed as a whole: live lists, sections and aggregates. On the feed's thread.
extension StreamHub {
    /// Has a stream wait for the result that it follows, once its client has read.
    ///
    /// - `reason`: Why what it knows is void; nil for one that knows the result at its version.
    func join(
        _ follower: Follower, _ position: ChangeFeed.Position, _ reason: ResetReason?
    ) {
        guard follower.flush(), follower.hasRoom else { return wait(follower) }
        guard isCurrent(follower, position) else { return check(follower, reason) }
        let channel = channel(follower.query, position)
        channel.result?.join(follower, reason, at: position.version, in: channel)
    }

    /// Has a worker check what a stream follows against the present schema, and what its client may read, and then has it
    /// join again.
    func check(_ follower: Follower, _ reason: ResetReason?) {
        check(follower.query, for: [follower]) { checked, isOtherView, position in
            switch checked {
            case .success(let query):
                follower.query = query
                self.join(follower, position, isOtherView ? .accessChanged : reason)
            case .failure(let fault):
                follower.fail(fault, self.events, isOtherView: isOtherView)
            }
        }
    }

    /// Has the followers of a channel that the feed has let go follow the same result from where they are.
    func carryOver(_ channel: StreamChannel) {
        guard channel.stream.viewMark.isEmpty else {
            // What each may read is their own.
            let arrivals = channel.result?.takeArrivals() ?? []
            for follower in channel.takeFollowers() + arrivals { check(follower, .overrun) }
            return
        }
        check(
            channel.stream,
            for: channel.followers + (channel.result?.arrivals.map(\.follower) ?? [])
        ) { checked, _, position in
            switch checked {
            case .success(let query):
                guard position.transaction.rows.identity == query.names.schema.identity else {
                    return self.carryOver(channel)
                }
                let next = self.channel(query, position)
                next.result?.adopt(channel, at: position.version, in: next)
            case .failure(let fault): channel.fail(fault)
            }
        }
    }

    /// Checks a query against the present schema by a worker, where it has not been, and goes on on the feed's thread.
    ///
    /// - `body`: Is told as well whether what the followers may read is decided otherwise than the query was checked for.
    private func check(
        _ query: CheckedStream, for followers: [Follower],
        _ body:
            @escaping @Sendable (
                Result<CheckedStream, RequestFault>, _ isOtherView: Bool, ChangeFeed.Position
            ) -> Void
    ) {
        guard let first = followers.first else { return }
        @Sendable func end() { for follower in followers { follower.end(self.served) } }
        let isTaken = served.scheduler.submit(
            Job(first.caller.client) { _ in
                var isOtherView = false
                let checked = Result { () throws(RequestFault) in
                    try self.served.withRead(for: first.caller) { read throws(RequestFault) in
                        isOtherView = !query.isOf(read)
                        return try query.under(read, self.served)
                    }
                }
                self.perform({ [isOtherView] in body(checked, isOtherView, $0) }, orElse: end)
            })
        if isTaken { return }
        perform({ _ in self.retry { self.check(query, for: followers, body) } }, orElse: end)
    }

    /// Has a worker compute a result, and hands it over on the feed's thread: nil where it has to be tried again.
    ///
    /// - Returns: Whether a worker will.
    func compute(
        _ computation: ResultComputation, for followers: [Follower],
        _ body:
            @escaping @Sendable (
                Result<ResultComputation.Outcome?, RequestFault>, ChangeFeed.Position
            ) -> Void
    ) -> Bool {
        guard let first = followers.first else { return false }
        return served.scheduler.submit(
            Job(
                first.caller.client, until: served.queryDeadline,
                isAwaited: { followers.contains { !$0.isGone } }
            ) { job in
                var found: Result<ResultComputation.Outcome?, RequestFault> = .success(nil)
                do throws(RequestFault) {
                    // It may have waited too long for its turn, which is no fault of its query.
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
                } catch {
                    found = .failure(error)
                }
                self.perform { [found] in
                    body(found, $0)
                } orElse: {
                }
            })
    }
}
