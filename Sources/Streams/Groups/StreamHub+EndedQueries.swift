import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

// Queries that have ended while the others of their stream continue: each begins again when it is valid again.
extension StreamHub {
    /// A query that has ended, in the form that a worker checks.
    private struct Ended: Sendable {
        let querySink: QuerySink
        /// The query as it was checked last.
        let query: CheckedStream
        let end: QueryEnd
    }

    /// The schema and view under which a worker has checked ended queries.
    private struct Looked: Sendable {
        let end: QueryEnd
        /// Each query as it was checked for these; nil if it is still invalid.
        var queries: [(ended: Ended, query: CheckedStream?)] = []
        /// Whether there was no time for all of them.
        var isPart = false
    }

    // MARK: On the feed's thread

    /// Ends a query, after the bytes that its client is sent of it.
    func end(
        _ querySink: QuerySink, of group: StreamGroup, sending last: SharedBytes, as end: QueryEnd,
        _ position: ChangeFeed.Position
    ) {
        // The query may have been removed meanwhile.
        guard let follower = group.follower(of: querySink) else { return }
        detach([follower])
        querySink.ended = end
        // Later ids are sent without the query.
        querySink.query.knownFrom = .max
        groupsWithEnded[ObjectIdentifier(group)] = group
        follower.send(last)
        sendRest(of: querySink, follower)
        // The query may have been the only one that had no id yet.
        if group.isUpToDate(at: position.version) { group.beat(position.version) }
    }

    private func sendRest(of querySink: QuerySink, _ follower: Follower) {
        guard querySink.ended != nil, !follower.flush() else { return }
        follower.whenReady(isScarce: false) { [weak self] in
            guard let self else { return }
            self.perform { _ in self.sendRest(of: querySink, follower) }
        }
    }

    /// Lets workers check whether ended queries are valid again, if something was committed, or other rules were set, since their
    /// last check.
    func lookAtEnded(_ version: UInt64) {
        let moment = StreamGroup.Moment(
            version: version,
            rulesGeneration: rulesGeneration.load(ordering: .sequentiallyConsistent))
        for (key, group) in groupsWithEnded {
            let ended = group.members.compactMap { member -> Ended? in
                guard let end = member.querySink.ended, end.isTriedAgain else { return nil }
                return Ended(querySink: member.querySink, query: member.follower.query, end: end)
            }
            guard keep(group), !ended.isEmpty else {
                groupsWithEnded[key] = nil
                continue
            }
            if group.isLookedAt || group.lookedAt == moment { continue }
            (group.isLookedAt, group.lookedAt) = (true, moment)
            let job = Job(
                group.caller.client, until: served.queryDeadline,
                isAwaited: { !group.sink.isClosed }
            ) { self.look(at: ended, of: group, $0) }
            jobs.submit(job) { self.lookLater(at: group) }
        }
    }

    /// Lets the next tick check a group again. Any thread.
    private func lookLater(at group: StreamGroup) {
        perform { _ in (group.isLookedAt, group.lookedAt) = (false, nil) }
    }

    private func take(_ looked: Looked, of group: StreamGroup, _ position: ChangeFeed.Position) {
        group.isLookedAt = false
        if looked.isPart { group.lookedAt = nil }
        for (ended, query) in looked.queries {
            let querySink = ended.querySink
            guard let follower = group.follower(of: querySink) else { continue }
            guard let query else {
                querySink.ended = looked.end
                continue
            }
            // The client first reads that the query has ended.
            guard follower.hasRoom else {
                group.lookedAt = nil
                continue
            }
            querySink.ended = nil
            querySink.query.knownFrom = position.version + 1
            follower.query = query
            let isOtherView = looked.end.viewMark != ended.end.viewMark
            restart(follower, isOtherView ? .accessChanged : .schemaChanged)
        }
        // No id was sent while it was not known whether the queries are valid.
        if group.isUpToDate(at: position.version) { group.beat(position.version) }
    }

    // MARK: On a worker's thread

    private func look(at all: [Ended], of group: StreamGroup, _ job: Job) {
        do throws(RequestFault) {
            let outcome = try served.withRead(for: group.caller, in: job) {
                read throws(RequestFault) in try look(at: all, in: read)
            }
            switch outcome {
            case .reply(let looked): perform { self.take(looked, of: group, $0) }
            case .again: break
            case .gone: lookLater(at: group)
            }
        } catch { lookLater(at: group) }
    }

    private func look(at all: [Ended], in read: ReadTransaction) throws(RequestFault) -> Looked {
        var looked = Looked(end: QueryEnd(read))
        for ended in all where ended.end != looked.end {
            do throws(RequestFault) {
                looked.queries.append((ended, try ended.query.under(read, served)))
            } catch {
                guard error.isOfFollowedQuery else { throw error }
                // All of them share the time.
                if error.isQueryLimit, !looked.queries.isEmpty {
                    looked.isPart = true
                    break
                }
                looked.queries.append((ended, nil))
            }
        }
        return looked
    }
}
