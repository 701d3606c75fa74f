import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads

/// Long polls: followers of one reply, which wait for the first change that concerns their query.
extension StreamHub {
    /// Versions between a poll's cursor and the present that are looked at on the feed's thread.
    private static let pollVersionCountMax: UInt64 = 1_000

    /// Answers a request at once if something has happened since its cursor; else has it wait for the first change that
    /// concerns its query. Any thread.
    package func open(_ poll: Follower) {
        poll.query.observed.prepare()
        feedLater(poll)
    }

    /// Answers a poll if there is something to tell, or it has waited for so long; else has it wait. On a worker's
    /// thread.
    func look(
        _ poll: Follower, _ sink: any ReplySink, limit: Int, until deadline: UInt64, _ job: Job
    ) {
        do throws(RequestFault) {
            let outcome = try served.withChanges(of: poll.query, for: poll.caller, in: job) {
                read throws(RequestFault) in try catchUp.reply(to: poll, limit: limit, read)
            }
            switch outcome {
            case .reply(let page?): return sink.reply(page)
            case .reply(nil): break
            case .again: return
            case .gone: return sink.abandon()
            }
        } catch {
            return sink.fail(error)
        }
        if monotonicMilliseconds() >= deadline { return poll.end(served) }
        onFeed(poll) { self.arrive(poll, $0) }
    }

    /// Has a poll know everything up to the feed's version, by what was committed meanwhile, unless that is much.
    ///
    /// - Returns: False where it is answered, or a worker looks again.
    func settle(
        _ poll: Follower, _ sink: any ReplySink, limit: Int, _ position: ChangeFeed.Position
    ) throws(RequestFault) -> Bool {
        guard position.version - poll.state.version <= Self.pollVersionCountMax else {
            feedLater(poll)
            return false
        }
        // The feed's view is told of to others, too.
        defer { position.transaction.beginFollowing() }
        let read = position.transaction.shown(by: poll.query.observed.sight)
        guard let page = try catchUp.reply(to: poll, limit: limit, read) else {
            return true
        }
        sink.reply(page)
        return false
    }
}
