import HoldfastQuery
import HoldfastRows
import HoldfastThreads

/// A filter and all channels that follow it. It is evaluated once for all of them. On the feed's thread.
package final class ObservedFilter {
    /// The identity of a filter: 128 bits of keyed hashes of the canonical predicate, so that filters of any
    /// length are compared in the same time. The hashes cover everything that equality compares, and their key is the process's
    /// own secret, so that no client can make two filters that collide.
    package struct Key: Hashable, Sendable {
        private let target: ObservedQuery.Target
        private let digest: [Int]
        /// The visibility. Followers that may read the same share it.
        private let visibility: ObjectIdentifier?

        init(
            _ target: ObservedQuery.Target, _ predicate: Predicate?, _ visibility: Visibility? = nil
        ) {
            self.target = target
            self.visibility = visibility.map { ObjectIdentifier($0) }
            let canonical = predicate.map { CanonicalPredicate($0) }
            digest = (0..<2).map { part in
                var hasher = Hasher()
                hasher.combine(part)
                hasher.combine(canonical)
                return hasher.finalize()
            }
        }
    }

    /// A channel and its reads of other objects, as watches of the index.
    struct Follower {
        let channel: any FeedChannel
        /// The watches of the shown values, by their positions in the index.
        let shown: [Int]
        /// The events of the present step.
        var events: [QueryEvent] = []
    }

    let query: ObservedQuery
    /// Its position in the index.
    let owner: Int32
    /// The watches of the filter, by their positions in the index.
    let watches: [Int]
    private(set) var followers: [Follower] = []
    /// Whether a channel needs all events of a step.
    private var wantsEvents = false
    /// For watches, by their positions: conditions that tell whether a change of a triggering object concerns the filter.
    private var known: [Int: DependencyConditions] = [:]
    /// The object that it was last tested with, so that no object is tested twice.
    var lastObject = -1
    /// The nanoseconds of its allowance that it has used in a step, and the number of tested objects.
    private(set) var used: UInt64 = 0
    private(set) var testedCount = 0
    private(set) var usedStep = 0
    /// Whether a test has taken long, so that each is measured from its beginning.
    private var isLong = false
    private var earlier: [Matcher]?
    private var later: [Matcher]?

    /// The nanoseconds after which a test counts as long.
    private static let longNanoseconds: UInt64 = 1_000_000
    /// The milliseconds of the clock that a test may take: a regular expression does not ask the allowance.
    private static let millisecondsMax: UInt64 = 20
    /// The average nanoseconds of a test from which on a worker tests the filter.
    private static let expensiveNanoseconds: UInt64 = 50_000

    init(_ query: ObservedQuery, owner: Int32, watches: [Int]) {
        self.query = query
        self.owner = owner
        self.watches = watches
    }

    /// Whether the trigger of a watch decides about a value by which the filter is found.
    func isPlaced(behind watch: LinkedDependency, _ schema: RowSchema) -> Bool {
        query.conditions.valuePlaces?.allSatisfy { watch.lies(onWayTo: $0, schema) } ?? false
    }

    /// Adds a channel, with the watches of its shown values.
    func add(_ channel: any FeedChannel, shown: [Int]) {
        followers.append(Follower(channel: channel, shown: shown))
        wantsEvents = wantsEvents || channel.wantsEvents
        known = [:]
    }

    /// Removes the channel at a position.
    func removeFollower(at index: Int) {
        followers.remove(at: index)
        wantsEvents = followers.contains { $0.channel.wantsEvents }
        known = [:]
    }

    /// The client that pays for the filter's tests in a step: the client of its first channel.
    var client: Int? { followers.first?.channel.client }

    /// Whether no channel needs more events of the present step.
    var isSettled: Bool { !wantsEvents && followers.allSatisfy { !$0.events.isEmpty } }

    /// Whether a watch belongs to the filter or a follower.
    func has(_ position: Int) -> Bool {
        watches.contains(position) || followers.contains { $0.shown.contains(position) }
    }

    /// Whether one of some paths to an object concerns the filter or a follower.
    func isReached(by ways: [DependencyTable.AffectedPaths]) -> Bool {
        ways.contains { $0.owners?.contains(owner) ?? true && has($0.position) }
    }

    /// Prepares the conditions on its watches, if its followers see a part of the store, so that no step has to.
    func prepare(_ table: DependencyTable) {
        guard query.visibility != nil else { return }
        for position in watches + followers.flatMap(\.shown) where known[position] == nil {
            known[position] = conditions(of: table.watch(position))
        }
    }

    private func conditions(of watch: LinkedDependency) -> DependencyConditions {
        DependencyConditions(
            followers.map { $0.channel.query.conditions(of: watch) },
            // The schema of the rules, with names that the users do not know.
            query.visibility?.schema ?? query.schema)
    }

    /// Whether a change of an object that sets off a watch may concern the filter or a follower.
    func isConcerned(
        by identity: ObjectIdentity, _ watch: LinkedDependency, at position: Int, _ step: ChangeStep
    ) -> Bool {
        let conditions = known[position] ?? conditions(of: watch)
        known[position] = conditions
        return conditions.mayDiffer(identity, step)
    }

    /// Tests an object within the filter's allowance of a step.
    ///
    /// - `number`: The step's number.
    /// - `deadline`: The end of the time for the whole step, in milliseconds of the monotonic clock.
    /// - Returns: Whether the test is done. The notes of an evaluation that was given up are not valid.
    func test(
        _ step: ChangeStep, _ number: Int, within allowance: FeedAllowance,
        _ budget: StepBudget, until deadline: UInt64, _ body: () -> Void
    ) -> Bool {
        if usedStep != number {
            (used, testedCount, usedStep) = (0, 0, number)
            budget.tested.append(self)
        }
        testedCount += 1
        let start = monotonicNanoseconds()
        step.deadline = min(deadline, start / 1_000_000 + Self.millisecondsMax)
        allowance.begin(used: used, isExact: isLong)
        body()
        let measured = allowance.end()
        step.deadline = deadline
        let elapsed = monotonicNanoseconds() &- start
        if let measured {
            used = measured
        } else if elapsed < Self.longNanoseconds {
            used += elapsed
        }
        budget.note(elapsed)
        // The thread may have waited for its core. The next measurement will show that.
        isLong = isLong || elapsed >= Self.longNanoseconds
        return !step.isLate && !allowance.isSpent && used < allowance.nanosecondsMax
    }

    /// Whether it took long with each object, and not only with many.
    var isExpensive: Bool { used / UInt64(max(1, testedCount)) >= Self.expensiveNanoseconds }

    /// Tests an object in both states and notes the followers' events.
    ///
    /// - `ways`: The paths by which it was reached.
    /// - Returns: Whether any follower had no event before in this step, and has one now.
    func take(
        _ object: ChangedObject, _ step: ChangeStep, reached ways: [DependencyTable.AffectedPaths],
        _ table: DependencyTable
    ) -> Bool {
        let reached = ways.filter { $0.owners?.contains(owner) ?? true }.map(\.position)
        let isFilterReached = watches.contains { reached.contains($0) }
        let (step, object) = step.shown(object, by: query.showing)
        defer { step.releaseCopies() }
        var isNow = false
        if let row = object.after { isNow = isMatch(row, object.identity, step.after, &later) }
        let was: Bool
        if let before = object.before {
            // The values that the filter reads have not changed.
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
                identity: object.identity, change: object.change, position: nil, of: step.changes)
            for watch in reached {
                if watches.contains(watch) {
                    candidate.reach.note(table.watch(watch).firstMember, isOfFilter: true)
                }
                if followers[index].shown.contains(watch) {
                    candidate.reach.note(table.watch(watch).firstMember, isOfFilter: false)
                }
            }
            let query = followers[index].channel.query
            guard let event = query.event(of: candidate, was: was, is: isNow) else { continue }
            isFirst = isFirst || followers[index].events.isEmpty
            followers[index].events.append(event)
        }
        return isFirst
    }

    /// Takes out the followers' events of the present step.
    func takeEvents() -> [(channel: any FeedChannel, events: [QueryEvent])] {
        defer { for index in followers.indices { followers[index].events = [] } }
        return followers.lazy.filter { !$0.events.isEmpty }.map { ($0.channel, $0.events) }
    }

    private func isMatch(
        _ row: RowView, _ identity: ObjectIdentity, _ transaction: ReadTransaction,
        _ matchers: inout [Matcher]?
    ) -> Bool {
        guard query.isTarget(row, identity) else { return false }
        let made = matchers ?? query.makeMatchers()
        matchers = made
        return made.allSatisfy { matcher in
            matcher.limit(by: transaction.budget)
            return matcher.matches(row: row, key: identity.key, source: transaction)
        }
    }
}

/// The rules' conditions on the objects that set off a watch, prepared for tests in steps. On the feed's thread.
///
/// If a thousand people share a list and one joins, the change of the list's members concerns only this one: for the others, the
/// rules decide the same before and after.
struct DependencyConditions {
    /// Nil if any change may matter.
    private let matchers: [Matcher]?

    /// - `parts`: The conditions of each follower, see ``ObservedQuery/conditions(of:)``.
    init(_ parts: [Set<Predicate>?], _ schema: RowSchema) {
        matchers =
            parts.contains(nil)
            ? nil : Set(parts.flatMap { $0 ?? [] }).map { $0.makeMatcher(schema) }
    }

    /// Whether the outcome of a condition for an object differs between the states of a step, or is not known.
    func mayDiffer(_ identity: ObjectIdentity, _ step: ChangeStep) -> Bool {
        guard let matchers else { return true }
        let object = step.object(identity)
        func outcome(_ matcher: Matcher, _ row: RowView?, _ view: ReadTransaction) -> Bool? {
            matcher.limit(by: view.budget)
            return row.map { matcher.matches(row: $0, key: identity.key, source: view) }
        }
        return matchers.contains {
            outcome($0, object.before, step.before) != outcome($0, object.after, step.after)
        } || step.isLate
    }
}
