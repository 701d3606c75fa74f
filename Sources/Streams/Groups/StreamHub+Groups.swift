import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

// Streams of several queries.
extension StreamHub {
    /// Begins to serve a stream of several queries. Any thread.
    ///
    /// - `begin`: Informs the client that it begins, once everything that is written from then on will be reported.
    package func open(
        _ stream: QueryStream, to sink: any StreamSink, for caller: Caller,
        from start: StreamCursor, begin: @escaping @Sendable () -> Void
    ) {
        let group = StreamGroup(stream, sink, caller, hub: self)
        perform { position in
            if let before = self.groups.updateValue(group, forKey: stream.id) { self.drop(before) }
            let isNow = start == .now
            let version = StoreVersion(epoch: self.served.store.epoch, number: position.version)
            let beginning = isNow ? StreamCursor.after(version) : start
            let text = stream.queries.first?.checked.eventText(of: beginning)
            _ = sink.send(
                self.events.hello(
                    text ?? beginning.eventVersion?.description ?? StreamCursor.start.text,
                    isID: isNow))
            for query in stream.queries { self.add(query, to: group, from: start, position) }
            self.keepAlive(group)
            begin()
        } orElse: {
            sink.end()
            begin()
        }
    }

    /// Changes the queries of a stream's client, if it has one, to its present queries. Any thread.
    ///
    /// - `then`: Called after the change.
    package func update(_ stream: QueryStream, then: @escaping @Sendable () -> Void) {
        perform { position in
            if let group = self.groups[stream.id], self.keep(group) {
                let queries = stream.queries
                for member in group.members
                where !queries.contains(where: { $0 === member.querySink.query }) {
                    self.remove(member, from: group)
                }
                for query in queries
                where !group.members.contains(where: { $0.querySink.query === query }) {
                    self.add(query, to: group, from: nil, position)
                }
            }
            then()
        } orElse: {
            then()
        }
    }

    /// Ends a stream. Any thread.
    package func end(_ stream: QueryStream) {
        queryStreams.remove(stream)
        perform { _ in
            guard let group = self.groups[stream.id] else { return }
            group.sink.end()
            self.drop(group)
        }
    }

    // MARK: On the feed's thread

    /// - `start`: The position that its client asks for; nil if the client is there already.
    private func add(
        _ query: FollowedQuery, to group: StreamGroup, from start: StreamCursor?,
        _ position: ChangeFeed.Position
    ) {
        let querySink = QuerySink(query, of: group)
        let follower = Follower(
            .events(querySink), query.checked, group.caller, generation: query.generation)
        group.members.append((querySink, follower))
        if let version = start?.eventVersion, version.number >= query.knownFrom {
            return resume(follower, .after(version), present: position.version)
        }
        guard let start, start.eventVersion == nil else {
            // Earlier ids were sent without the query, and no id is sent until it is up to date.
            if query.knownFrom > position.version { query.knownFrom = position.version + 1 }
            return restart(follower, .start)
        }
        query.knownFrom = min(query.knownFrom, position.version)
        if start == .now, query.checked.result == nil {
            follower.state.begin(at: position.version)
            return arrive(follower, position)
        }
        resume(follower, start, present: position.version)
    }

    private func remove(
        _ member: (querySink: QuerySink, follower: Follower), from group: StreamGroup
    ) {
        // The events of a new query of the same name must follow the collected pieces.
        group.leave(member.querySink)
        member.querySink.remove()
        detach([member.follower])
        group.members.removeAll { $0.querySink === member.querySink }
    }

    /// Whether a client is still there. Drops a client that is not.
    func keep(_ group: StreamGroup) -> Bool {
        if !group.sink.isClosed, groups[group.stream.id] === group { return true }
        drop(group)
        return false
    }

    private func drop(_ group: StreamGroup) {
        detach(group.members.map(\.follower))
        group.members = []
        if groups[group.stream.id] === group { groups[group.stream.id] = nil }
    }

    /// Sends steps to the clients of several queries.
    func endStep(to version: UInt64) {
        entries.clear()
        if stepEnds.count > 1 << 15 { stepEnds = [] }
        stepEnds.insert(version)
        if groupsInStep.isEmpty { return }
        let concerned = groupsInStep
        groupsInStep = []
        groupsInStep += concerned.filter { $0.endStep(to: version) }
    }
}
