import HoldfastRows

// The meaning of a step for channels, and the order in which its objects are tested.
extension SubscriptionIndex {
    /// The meaning of a step to the channels.
    package struct Findings {
        /// The channels that the step concerns, each with its events.
        package var told: [(channel: any FeedChannel, events: [QueryEvent])] = []
        /// The channels that the step concerns with more objects than a step tests. Their followers catch up.
        package var deferred: [any FeedChannel] = []
        /// The channels with filters that take too long for each object. Workers test them from then on.
        package var slow: [any FeedChannel] = []
        /// The channels with filters that workers test, if the step may concern them.
        package var touched: [any FeedChannel] = []

        /// Makes findings of no channel.
        package init() {}
    }

    /// The objects that changed, in the order in which they are tested. In a large step, classes with few changed objects come first,
    /// so that their streams do not wait for the rest.
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
