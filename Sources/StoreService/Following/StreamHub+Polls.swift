import ObjectJSON
import ObjectStore
import Threads

/// Long polls: requests that wait for the first change which concerns their query.
extension StreamHub {
    /// Versions between a poll's cursor and the present that are looked at on the feed's thread.
    private static let pollVersionCountMax: UInt64 = 1_000

    /// Answers a request at once if something has happened since its cursor; else has it wait for the
    /// first change that concerns its query.
    package func open(_ poll: LongPoll) {
        schedule(poll) { job in
            var moved: LongPoll?
            self.served.answer(poll.sink, in: job) { () throws(RequestFault) in
                let page = try self.page(of: poll, in: job)
                if page.isEmpty { moved = poll.moved(to: page.version) }
                return page.isEmpty ? nil : page.bytes
            }
            if let moved, !job.mustNotAnswer { self.add(moved) }
        }
    }

    /// Has a job look what there is for a poll. Its time begins now: the poll may have waited long.
    private func schedule(_ poll: LongPoll, _ body: @escaping @Sendable (Job) -> Void) {
        let isTaken = served.scheduler.submit(
            Job(
                poll.clientKey, until: served.queryDeadline, isAwaited: { !poll.sink.isGone }, body)
        )
        if !isTaken { poll.sink.fail(.tooBusy) }
    }

    private func page(of poll: LongPoll, in job: Job) throws(RequestFault) -> ChangePage {
        try served.withRead(in: job) { read throws(RequestFault) in
            try served.changePage(
                poll.query, after: poll.version, nil, limit: poll.limit, in: read)
        }
    }

    private func add(_ poll: LongPoll) {
        poll.query.observed.prepare()
        perform { position in
            guard position.transaction.rows === poll.query.names.schema else {
                return self.answer(poll)
            }
            if let present = self.wait(poll, position) {
                let channel = self.channel(poll.query, position)
                channel.add(present)
                self.expire(channel, at: poll.deadline)
                self.watchDepartures(channel)
            }
        } orElse: {
            self.answer(poll)
        }
    }

    /// A poll that knows everything up to the feed's version; nil where it is answered, or a worker looks again. What was
    /// committed meanwhile is looked at here, unless it is much.
    private func wait(_ poll: LongPoll, _ position: ChangeFeed.Position) -> LongPoll? {
        if position.version <= poll.version { return poll }
        if isUntested(poll.query.observed) {
            if isUnconcerned(poll.query, since: poll.version, position) {
                return poll.moved(to: position.version)
            }
            retry { self.lookAgain(poll) }
            return nil
        }
        guard position.version - poll.version <= Self.pollVersionCountMax else {
            lookAgain(poll)
            return nil
        }
        let found = position.briefly {
            try? served.changePage(
                poll.query, after: poll.version, nil, limit: poll.limit, in: position.transaction,
                until: .max)
        }
        guard let page = found else {
            leaveToWorkers(poll.query)
            lookAgain(poll)
            return nil
        }
        if page.isEmpty { return poll.moved(to: page.version) }
        poll.sink.reply(page.bytes)
        return nil
    }

    /// Has a worker look what there is for a poll, until it has waited for so long.
    private func lookAgain(_ poll: LongPoll) {
        if monotonicMilliseconds() >= poll.deadline { answer(poll) } else { open(poll) }
    }

    /// Answers a poll with what there is now.
    func answer(_ poll: LongPoll) {
        schedule(poll) { job in
            self.served.answer(poll.sink, in: job) { () throws(RequestFault) in
                try self.page(of: poll, in: job).bytes
            }
        }
    }
}
