import HoldfastRows

// What a step means to channels, and in which order its objects are tested.
extension SubscriptionIndex {
    /// The meaning of a step to the channels.
    package struct Findings {
        /// Whom it concerns, and what it means to them.
        package var told: [(channel: any FeedChannel, events: [QueryEvent])] = []
        /// Those that it concerns in more than a step tests: who follows them catches up.
        package var deferred: [any FeedChannel] = []
        /// Those whose filters take too long with each object: workers test them from then on.
        package var slow: [any FeedChannel] = []
        /// Those whose filters workers test, where it may concern them.
        package var touched: [any FeedChannel] = []

        /// Makes findings of no channel.
        package init() {}
    }

    /// The objects that changed, in the order in which they are tested: of a large step those of the classes first of which few
    /// have changed, so that their streams do not wait for the rest.
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
