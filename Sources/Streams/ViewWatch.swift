import HoldfastObjectStore

/// An object that decides what some followers may read, such as a user's own: when it changes, they are looked at again before
/// anything of that step is told. On the feed's thread.
final class ViewWatch: FeedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// The key that followers have in common who share one.
    struct Key: Hashable {
        /// The object.
        let filter: ObservedFilter.Key
        /// The rules, which say what of it counts: by how often others were set.
        let rulesGeneration: UInt64
    }

    let query: ObservedQuery
    let key: Key
    private unowned let hub: StreamHub
    private var followers: [ObjectIdentifier: Follower] = [:]

    var comesFirst: Bool { true }

    init(_ query: ObservedQuery, _ key: Key, hub: StreamHub) {
        self.query = query
        self.key = key
        self.hub = hub
    }

    /// Looks after a live follower.
    func add(_ follower: Follower) {
        followers[ObjectIdentifier(follower)] = follower
        follower.viewWatch = self
    }

    /// Lets go of a follower.
    func remove(_ follower: Follower) {
        followers[ObjectIdentifier(follower)] = nil
        follower.viewWatch = nil
        if followers.isEmpty { hub.forget(self) }
    }

    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        hub.lookAgain(Array(followers.values))
    }

    func invalidate(isSlow: Bool) {
        let all = Array(followers.values)
        hub.forget(self)
        hub.lookAgain(all)
    }
}
