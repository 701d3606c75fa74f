import ObjectStore
import Rows
import Threads

/// The followers of an outbox that have caught up and wait for more.
///
/// Lives on the feed's thread.
final class OutboxChannel: FeedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    let query: ObservedQuery
    let className: String
    private unowned let hub: OutboxHub
    private var followers: [OutboxFollower] = []

    init(_ rowClass: RowClass, _ schema: RowSchema, hub: OutboxHub) {
        className = rowClass.definition.name
        query = ObservedQuery(
            target: .objects(classIndex: rowClass.index), predicate: nil, filterPaths: [],
            schema: schema)
        self.hub = hub
    }

    func add(_ follower: OutboxFollower) { followers.append(follower) }

    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        // What was acknowledged, or lost the target of a link, is no news.
        if events.contains(where: { $0.kind == .enter }) { wakeAll() }
    }

    func invalidate() { wakeAll() }
    func overrun() { wakeAll() }

    /// Has everybody fed, who come back when there is no more.
    private func wakeAll() {
        let all = followers
        followers = []
        hub.forget(self)
        for follower in all { hub.feed(follower) }
    }

    func tick(version: UInt64) {
        let now = monotonicMilliseconds()
        followers.removeAll { follower in
            if case .poll(_, let deadline) = follower.client {
                guard now >= deadline || follower.isGone else { return false }
                follower.end()
                return true
            }
            if follower.isGone { return true }
            if follower.needsHeartbeat(now, heartbeatSeconds: hub.events.heartbeatSeconds) {
                _ = follower.send(
                    hub.events.heartbeat(follower.cursor.description), through: follower.cursor)
            }
            return false
        }
        if followers.isEmpty { hub.forget(self) }
    }

    /// Ends every stream and answers every poll: the service stops.
    func end() {
        let all = followers
        followers = []
        for follower in all { follower.end() }
    }
}
