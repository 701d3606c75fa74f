import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads

// Followers that come from workers to the present, on the feed's thread.
extension StreamHub {
    /// The number of late arrivals after which workers test a filter, because it takes the feed too long.
    private static let lateArrivalCountMax = 3

    /// Delivers the last missed changes to a stream and makes it live.
    func arrive(_ follower: Follower, _ position: ChangeFeed.Position) {
        if follower.isGone { return follower.abandon() }
        guard isCurrent(follower, position) else { return feedLater(follower) }
        do throws(RequestFault) {
            let isTold = try position.briefly { () throws(RequestFault) in
                try deliverRest(to: follower, position)
            }
            guard isTold else { return }
        } catch {
            // A worker has more time than the feed.
            follower.state.arriveLate()
            if follower.state.lateArrivalCount >= Self.lateArrivalCountMax {
                leaveToWorkers(follower.query)
            }
            return feedLater(follower)
        }
        // Live events overtake unsent pieces, so no piece may be left.
        guard follower.flush(), follower.hasRoom else { return wait(follower) }
        let channel = channel(follower.query, position)
        if let result = channel.result {
            return result.join(follower, at: position.version, in: channel)
        }
        if follower.state.needsUpToDate { tellUpToDate(follower, position.version) }
        channel.settle(position.transaction, position.version)
        // The channel is dropped if that takes too long.
        guard isInUse(channel) else { return feedLater(follower) }
        goLive(follower, in: channel)
    }

    /// Informs a stream's client that it knows everything up to the stream's version.
    ///
    /// - `present`: The version of the feed.
    func tellUpToDate(_ follower: Follower, _ present: UInt64) {
        let version = follower.state.version
        let isID = follower.sink?.moveID(to: version, at: present) ?? false
        follower.send(
            events.upToDate(isID ? cursor(version, of: follower.query) : nil, of: follower.query))
        follower.state.tellUpToDate()
    }

    /// Adds a stream to a channel, which sends it each step.
    func goLive(_ follower: Follower, in channel: StreamChannel) {
        follower.state.goLive()
        follower.lastSent = monotonicMilliseconds()
        follower.query = channel.stream
        (follower.sink as? QuerySink)?.query.checked = channel.stream
        channel.add(follower)
        watchView(of: follower)
        if follower.isPoll { polled[ObjectIdentifier(channel)] = channel }
        sendRest(to: follower)
    }

    /// Delivers the changes that a stream has missed up to the feed's position, or leaves them to a worker if they are many.
    ///
    /// - Returns: Whether all of them were delivered.
    private func deliverRest(
        to follower: Follower, _ position: ChangeFeed.Position
    ) throws(RequestFault) -> Bool {
        if follower.query.result != nil { return true }
        if let cursor = follower.outboxCursor {
            if try !hasMore(follower, behind: cursor, position) { return true }
            feedLater(follower)
            return false
        }
        if follower.state.version >= position.version { return true }
        let read = position.transaction.restricted(to: follower.query.observed.visibility)
        // A worker delivers many changes, but not for ever: the bound doubles each time.
        let countMax = StreamCatchUp.pieceObjectCount << min(10, follower.state.lateArrivalCount)
        // A worker restarts the stream, or finds that it need not.
        if try served.hadOtherView(
            follower.caller, since: follower.state.version, in: read, objectCountMax: countMax)
        {
            follower.state.arriveLate()
            feedLater(follower)
            return false
        }
        if let property = follower.query.property {
            let isTold = try catchUp.tellMissed(follower, property, read, countMax: countMax)
            if !isTold { feedLater(follower) }
            return isTold
        }
        if isUntested(follower.query.observed) { return skipOthers(follower, position) }
        if case .reply(let sink, let limit, _) = follower.client {
            return try settle(follower, sink, limit: limit, position)
        }
        guard let missed = try catchUp.missed(follower, read, countMax: countMax),
            missed.through == position.version
        else {
            follower.state.arriveLate()
            feedLater(follower)
            return false
        }
        follower.state.find(missed)
        while case .missed(let rest) = follower.state.phase {
            guard catchUp.hasRoom(follower) else {
                wait(follower)
                return false
            }
            try catchUp.sendPiece(of: rest, follower, read)
        }
        // The stream may have to begin again.
        if case .snapshot = follower.state.phase {
            feedLater(follower)
            return false
        }
        return true
    }

    /// Whether no object of the classes that a query reads has changed after a version.
    func isUnchanged(
        _ query: CheckedStream, after version: UInt64, _ position: ChangeFeed.Position
    ) -> Bool {
        let changes = try? FoldedChanges(
            after: version, in: position.transaction, objectCountMax: 1,
            recordCountMax: StreamCatchUp.pieceObjectCount, classes: query.observed.classes,
            formerByteCountMax: 0)
        return changes.map { $0.isEmpty && $0.through == position.version } ?? false
    }

    /// Brings a stream to the present if nothing changed for it. Otherwise reports its progress and lets a worker continue.
    ///
    /// - Returns: Whether it is at the present.
    private func skipOthers(_ follower: Follower, _ position: ChangeFeed.Position) -> Bool {
        if isUnchanged(follower.query, after: follower.state.version, position) {
            follower.state.advance(through: position.version)
            return true
        }
        if follower.state.needsUpToDate, follower.flush(), follower.hasRoom {
            tellUpToDate(follower, position.version)
        }
        retry { self.feedLater(follower) }
        return false
    }

    /// Sends the unsent pieces as the client reads.
    private func sendRest(to follower: Follower) {
        // A follower without a channel may belong to a worker, which sends the rest.
        guard follower.channel != nil, !follower.flush() else { return }
        follower.whenReady(isScarce: catchUp.budget.isTight) { [weak self] in
            guard let self else { return }
            self.onFeed(follower) { _ in self.sendRest(to: follower) }
        }
    }
}
