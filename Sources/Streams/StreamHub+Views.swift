import HoldfastObjectJSON
import HoldfastObjectStore
import Synchronization

// Followers who may not read everything: what they may read can change while they are told of what happens.
extension StreamHub {
    /// Learns that other rules hold: who is told by them begins again, if that changes what they may read. Any thread.
    package func accessChanged() {
        // A step that is told before the feed comes to it is not told by the rules of before.
        rulesGeneration.wrappingAdd(1, ordering: .sequentiallyConsistent)
        perform { _ in
            for channel in Array(self.channels.values) { self.lookAgainIfOutdated(channel) }
        }
    }

    // MARK: On the feed's thread

    /// Whether a follower's query was checked for what its client may read now, and for the present schema.
    func isCurrent(_ follower: Follower, _ position: ChangeFeed.Position) -> Bool {
        let schema = follower.query.names.schema
        guard position.transaction.rows.identity == schema.identity else { return false }
        guard let sight = follower.caller.sight else { return true }
        follower.rulesGeneration = rulesGeneration.load(ordering: .sequentiallyConsistent)
        let read = position.transaction
        // What it has found out is no matter of what comes next, and what can't be told is a worker's to say.
        defer { read.beginFollowing() }
        let isSame = try? position.briefly { () throws(RequestFault) in
            follower.deciding = try sight.decidingObject(in: read)
            return follower.query.isChecked(for: read.restricted(to: try sight.sight(in: read)))
        }
        return isSame ?? false && !read.isLate
    }

    /// Has a live follower be looked at again when that changes which decides what its client may read.
    func watchView(of follower: Follower) {
        guard let query = follower.deciding else { return }
        let key = ViewWatch.Key(
            filter: query.filterKey, rulesGeneration: follower.rulesGeneration)
        let watch = viewWatches[key] ?? ViewWatch(query, key, hub: self)
        if viewWatches.updateValue(watch, forKey: key) == nil { feed?.add(watch) }
        watch.add(follower)
    }

    /// Forgets a watch that no view depends on any more.
    func forget(_ watch: ViewWatch) {
        if viewWatches[watch.key] === watch { viewWatches[watch.key] = nil }
        feed?.remove(watch)
    }

    /// Has the followers of a channel be looked at again where other rules have been set since they joined it.
    ///
    /// - Returns: Whether it has none any more.
    @discardableResult
    func lookAgainIfOutdated(_ channel: StreamChannel) -> Bool {
        let generation = rulesGeneration.load(ordering: .sequentiallyConsistent)
        // A step asks each time, and it is seldom so: the followers are not looked at until then.
        guard channel.oldestRules < generation, !channel.stream.viewMark.isEmpty else {
            return false
        }
        channel.oldestRules = generation
        lookAgain(channel.followers.filter { $0.rulesGeneration < generation })
        return channel.isEmpty
    }

    /// Has workers find out what followers may read, and tell them what comes next.
    func lookAgain(_ followers: [Follower]) {
        for follower in unlist(followers) { overrun(follower) }
    }
}
