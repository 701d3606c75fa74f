import HoldfastObjectStore

/// Watches an object that decides the view of some followers, such as a user's own. When it changes, their views are checked
/// again before anything of the step is sent. On the feed's thread.
final class PrincipalDependency: FeedChannel, @unchecked Sendable {
    // Unchecked: all state is used only on the feed's thread.

    /// The key that the followers of one watch have in common.
    struct Key: Hashable {
        let filter: ObservedFilter.Key
        /// The rules' generation. The rules say which parts of the object count.
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

    /// Adds a live follower.
    func add(_ follower: Follower) {
        followers[ObjectIdentifier(follower)] = follower
        follower.principalDependency = self
    }

    func remove(_ follower: Follower) {
        followers[ObjectIdentifier(follower)] = nil
        follower.principalDependency = nil
        if followers.isEmpty { hub.forget(self) }
    }

    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        hub.recheck(Array(followers.values))
    }

    func invalidate(isSlow: Bool) {
        let all = Array(followers.values)
        hub.forget(self)
        hub.recheck(all)
    }
}
