import HoldfastQuery
import HoldfastRows

// Whom a change of another object concerns.
extension SubscriptionIndex {
    /// The channels whose watches led to too many objects in a step.
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
                watches.tooWide[position]?.contains {
                    $0.owners?.contains(filter.owner) ?? true
                } ?? false
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

    /// Conditions on objects that set off watches, of all filters, that are tested in a step.
    private static let conditionTestCountMax = 20_000

    /// The filters with a watch that a change of an object may concern, by the conditions that they have on it; nil for all.
    ///
    /// - `testCount`: Those that were tested in the step.
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
