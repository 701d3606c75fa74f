import HoldfastObjectStore
import Testing

/// A channel that is told of nothing: a test asks the index of subscriptions itself.
package final class SilentChannel: FeedChannel {
    package let query: ObservedQuery

    package let isUntested: Bool
    package let client: Int?
    package let wantsEvents: Bool

    package init(
        _ query: ObservedQuery, isUntested: Bool = false, client: Int? = nil,
        wantsEvents: Bool = true
    ) {
        self.query = query
        self.isUntested = isUntested
        self.client = client
        self.wantsEvents = wantsEvents
    }

    package func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {}
    package func invalidate(isSlow: Bool) {}
}

extension ObservedQuery {
    /// What changes between two states mean to the query, if it is the only one that is followed.
    package func events(
        _ changes: FoldedChanges, before: StoreView, after: StoreView
    ) -> [QueryEvent] {
        let index = SubscriptionIndex(
            before.rows, allowance: FeedAllowance(milliseconds: 3_600_000))
        index.add(SilentChannel(self))
        let step = ChangeStep(before: before, after: after, changes: changes)
        let findings = index.findings(of: step, within: 3_600_000)
        #expect(findings.deferred.isEmpty && findings.slow.isEmpty)
        return findings.told.flatMap(\.events)
    }
}

extension SubscriptionIndex {
    /// All that a step means.
    package func findings(
        of step: ChangeStep, within milliseconds: UInt64,
        unplacedWithin unplacedMilliseconds: UInt64 = 3_600_000,
        _ budget: StepBudget = StepBudget(microseconds: 3_600_000_000)
    ) -> Findings {
        var all = Findings()
        forEachFindings(
            of: step, within: milliseconds, unplacedWithin: unplacedMilliseconds, budget
        ) { findings in
            all.told += findings.told
            all.deferred += findings.deferred
            all.slow += findings.slow
            all.touched += findings.touched
        }
        return all
    }
}
