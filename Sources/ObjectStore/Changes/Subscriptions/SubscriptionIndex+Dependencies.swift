import HoldfastQuery
import HoldfastRows

// The followers that a change of another object concerns.
extension SubscriptionIndex {
    /// The channels with watches that led to too many objects in a step.
    func followersOfWideWatches(_ step: ChangeStep) -> [any FeedChannel] {
        if watches.tooWide.isEmpty { return [] }
        var found: Set<Int32> = []
        for (position, triggers) in watches.tooWide {
            for trigger in triggers {
                _ = watches.forEachValue(at: position, of: trigger.identity, step) { place, value in
                    for own in classes.values {
                        own.places[place]?.forEach(at: value, scratch) {
                            found.insert($0)
                            return true
                        }
                    }
                    return true
                }
            }
        }
        return filters.lazy.compactMap { $0 }.flatMap { filter in
            func isConcerned(_ position: Int) -> Bool {
                watches.tooWide[position]?.contains { $0.owners?.contains(filter.owner) ?? true }
                    ?? false
            }
            let isFilter = filter.watches.contains { position in
                isConcerned(position)
                    && (found.contains(filter.owner)
                        || !filter.isPlaced(behind: watches.watch(position), schema))
            }
            return filter.followers.filter { follower in
                isFilter || follower.shown.contains(where: isConcerned)
            }.map(\.channel)
        }
    }

    /// The maximum number of conditions on triggering objects, of all filters, that are tested in a step.
    private static let conditionTestCountMax = 20_000

    /// The filters with a watch that a change of an object may concern, by their conditions on the object; nil for all.
    ///
    /// - `testCount`: The number of conditions that were tested in the step.
    func owners(
        at position: Int, concernedBy identity: ObjectIdentity, _ step: ChangeStep,
        _ testCount: inout Int
    ) -> Set<Int32>? {
        guard ruledCount > 0, step.changes[identity]?.kind == .update else { return nil }
        let watch = watches.watch(position)
        var owners: Set<Int32> = []
        for case let filter? in filters where filter.has(position) {
            testCount += 1
            guard testCount <= Self.conditionTestCountMax, !step.isLate else { return nil }
            if filter.isConcerned(by: identity, watch, at: position, step) {
                owners.insert(filter.owner)
            }
        }
        return owners
    }
}

// The findings of a step for channels, and the order in which its objects are tested.
extension SubscriptionIndex {
    /// The findings of a step for the channels.
    package struct Findings {
        /// The channels that the step concerns, each with its events.
        package var told: [(channel: any FeedChannel, events: [QueryEvent])] = []
        /// The channels that the step concerns with more objects than a step tests. Their followers catch up.
        package var deferred: [any FeedChannel] = []
        /// The channels with filters that take too long for each object. Workers test them from then on.
        package var slow: [any FeedChannel] = []
        /// The channels with filters that workers test, if the step may concern them.
        package var touched: [any FeedChannel] = []

        /// Makes empty findings.
        package init() {}
    }

    /// The objects that changed, in the order in which they are tested. In a large step, classes with few changed objects come
    /// first, so that their streams do not wait for the rest.
    static func order(of changes: FoldedChanges) -> [ObjectIdentity] {
        guard changes.order.count > largeStepObjectCount else { return changes.order }
        let ofClasses = Dictionary(grouping: changes.order, by: \.classIndex)
        if ofClasses.count == 1 { return changes.order }
        return ofClasses.sorted { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
            .flatMap(\.value)
    }
    private static let largeStepObjectCount = 1_000

    /// The classes of objects that have changed, or lost a link.
    static func classes(of changes: FoldedChanges, _ schema: RowSchema) -> Set<Int> {
        Set(changes.order.map(\.classIndex)).union(
            changes.lostLinks.compactMap { schema.classIndexByNumber[$0.classNumber] })
    }
}
