import Query
import Rows

/// A filter and all channels that follow it: it is evaluated once for all of them. On the feed's thread.
package final class ObservedFilter {
    /// What makes two filters the same.
    package struct Key: Hashable {
        let target: ObservedQuery.Target
        let predicate: CanonicalPredicate?

        init(_ target: ObservedQuery.Target, _ predicate: Predicate?) {
            self.target = target
            self.predicate = predicate.map { CanonicalPredicate($0) }
        }
    }

    /// A channel and what it reads of other objects, as watches of the index.
    struct Follower {
        let channel: any FeedChannel
        /// The watches of what is shown, by their positions in the index.
        let shown: [Int]
        /// What the present step means to it.
        var events: [QueryEvent] = []
    }

    let query: ObservedQuery
    /// Where it stands in the index.
    let owner: Int32
    /// The watches of the filter, by their positions in the index.
    let watches: [Int]
    var followers: [Follower] = []
    /// The object that it was last tested with, so that none is tested twice.
    var lastObject = -1
    private var earlier: Matcher?
    private var later: Matcher?

    init(_ query: ObservedQuery, owner: Int32, watches: [Int]) {
        self.query = query
        self.owner = owner
        self.watches = watches
    }

    /// Whether what sets off a watch decides about a value that the filter is found by.
    func isPlaced(behind watch: Watch, _ schema: RowSchema) -> Bool {
        query.anchors?.allSatisfy { watch.lies(onWayTo: $0.place, schema) } ?? false
    }

    /// Whether one of some watches is the filter's or a follower's.
    func isReached(by positions: [Int]) -> Bool {
        positions.contains { position in
            watches.contains(position) || followers.contains { $0.shown.contains(position) }
        }
    }

    /// Tests an object in both states and notes what that means to the followers.
    ///
    /// - `reached`: The watches through which it was reached.
    /// - Returns: Whether any follower has had no event before in this step, and has one now.
    func take(
        _ object: ChangedObject, _ step: ChangeStep, reached: [Int], _ table: WatchTable
    ) -> Bool {
        let isFilterReached = watches.contains { reached.contains($0) }
        var isNow = false
        if let row = object.after {
            isNow = isMatch(row, object.identity, step.after, &later)
        }
        let was: Bool
        if let before = object.before {
            // What the filter reads has not changed.
            let isSame =
                object.after != nil && !isFilterReached
                && object.members.isDisjoint(with: query.filter.ownMembers)
            was = isSame ? isNow : isMatch(before, object.identity, step.before, &earlier)
        } else {
            was = false
        }
        if !was, !isNow { return false }
        var isFirst = false
        for index in followers.indices {
            var candidate = ObservedCandidate(
                identity: object.identity, members: object.members, change: object.change,
                position: nil, through: step.changes.through)
            for watch in reached {
                if watches.contains(watch) {
                    candidate.reach(by: table.watch(watch), isOfFilter: true)
                }
                if followers[index].shown.contains(watch) {
                    candidate.reach(by: table.watch(watch), isOfFilter: false)
                }
            }
            let query = followers[index].channel.query
            guard let event = query.event(of: candidate, was: was, is: isNow) else { continue }
            isFirst = isFirst || followers[index].events.isEmpty
            followers[index].events.append(event)
        }
        return isFirst
    }

    /// Takes out what the present step means to the followers.
    func takeEvents() -> [(channel: any FeedChannel, events: [QueryEvent])] {
        defer { for index in followers.indices { followers[index].events = [] } }
        return followers.lazy.filter { !$0.events.isEmpty }.map { ($0.channel, $0.events) }
    }

    private func isMatch(
        _ row: RowView, _ identity: ObjectIdentity, _ transaction: ReadTransaction,
        _ matcher: inout Matcher?
    ) -> Bool {
        guard query.isTarget(row, identity) else { return false }
        guard let predicate = query.predicate else { return true }
        let made = matcher ?? predicate.makeMatcher(query.schema)
        matcher = made
        made.limit(by: transaction.budget)
        return query.satisfies(row, identity.key, in: transaction, made)
    }
}
