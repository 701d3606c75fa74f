import HoldfastThreads

/// Follows the commits of a store on its own thread and delivers the events of its query to each channel.
///
/// It goes from one published state to the next with a view of both, so that its events are exact. The work of a step is shared
/// by all followers of a channel, and channels of classes that did not change cost nothing. Thread-safe.
package final class ChangeFeed: @unchecked Sendable {
    // Unchecked: everything except `inbox` is used only on the feed's thread.

    /// The feed's position while an action runs on its thread.
    package struct Position {
        /// The feed, for adding and removing channels.
        package let feed: ChangeFeed
        /// The version that every channel has received.
        package let version: UInt64
        /// A view of that version, valid during the action.
        package let transaction: StoreView

        /// Runs `body`. Evaluations on the view in it end as if their time were over when they have used the time of one filter
        /// in a step.
        package func briefly<Result, Failure: Error>(
            _ body: () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let allowance = feed.makeAllowance()
            allowance.begin(used: 0, isExact: true)
            transaction.timeSlice = allowance
            defer { transaction.timeSlice = nil }
            return try body()
        }
    }

    /// A piece of work for the feed's thread.
    private struct Action {
        let body: @Sendable (Position) -> Void
        /// Called instead if the feed stops and cannot read a state.
        let orElse: @Sendable () -> Void
    }

    private struct Inbox {
        /// Whether the feed's thread waits and has no channels.
        var isIdle = false
        /// Whether there are commits since the last step.
        var hasNews = false
        /// The time of the oldest of these commits, in nanoseconds of the monotonic clock.
        var newsTime: UInt64 = 0
        var actions: [Action] = []
        var isStopping = false
        var hasStopped = false
    }

    private let store: Store
    private let inbox = Monitor(Inbox())
    private let tickMilliseconds: Int
    private let filterMilliseconds: UInt64
    private let stepMicroseconds: UInt64
    private let onStep: @Sendable (UInt64) -> Void
    private let onTick: @Sendable (UInt64) -> Void
    private var current: (transaction: StoreView, version: UInt64)?
    /// The last version that was reported to every channel; during a step, the version before the step. Only on the feed's
    /// thread.
    package private(set) var toldVersion: UInt64 = 0
    /// The channels, for the schema of ``current``.
    private var index: SubscriptionIndex?
    private let logFailure: @Sendable (StoreError) -> Void
    /// Figures that show how the feed keeps up.
    package let figures = FeedFigures()
    /// The actions that run later, each with its time in milliseconds of the monotonic clock.
    private var delayed: [(due: UInt64, action: Action)] = []

    /// Starts following.
    ///
    /// - `tickMilliseconds`: The interval of `onTick`.
    /// - `filterMilliseconds`: The processor time that one filter may use in a step.
    /// - `stepMicroseconds`: The processor time that all may use in a step.
    /// - `onStep`: Called on the feed's thread when every channel has received a step to a version, and after actions have run.
    /// - `onTick`: Called on the feed's thread with the version that every channel has received.
    /// - `logFailure`: Called when a state cannot be read. The feed then tries again.
    package init(
        store: Store, tickMilliseconds: Int = 250,
        filterMilliseconds: UInt64 = FeedAllowance.milliseconds,
        stepMicroseconds: UInt64 = StepBudget.microseconds,
        onStep: @escaping @Sendable (_ version: UInt64) -> Void = { _ in },
        onTick: @escaping @Sendable (_ version: UInt64) -> Void = { _ in },
        logFailure: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        self.store = store
        self.tickMilliseconds = tickMilliseconds
        self.filterMilliseconds = filterMilliseconds
        self.stepMicroseconds = stepMicroseconds
        self.onStep = onStep
        self.onTick = onTick
        self.logFailure = logFailure
        store.publisher.observe { [inbox] _ in
            inbox.signal { state in
                if state.hasNews || state.isIdle { return false }
                state.hasNews = true
                state.newsTime = monotonicNanoseconds()
                return true
            }
        }
        startThread(named: "feed") { self.run() }
    }

    /// The longest time for testing the filters of all channels with a step, in milliseconds of the clock; see ``StepBudget``.
    private static let stepMillisecondsMax: UInt64 = 5000
    /// The longest time for testing the filters that no condition finds, in milliseconds: all streams wait for them.
    private static let unplacedMillisecondsMax: UInt64 = 250
    /// The longest time for making a part of an event, in milliseconds: all streams wait for it.
    package static let tellMillisecondsMax: UInt64 = 100
    /// The processor time of actions after which commits that came meanwhile are reported, in nanoseconds.
    private static let actionNanosecondsMax: UInt64 = 50_000_000
    /// The maximum number of objects that a step may change. After a larger one, every stream catches up, piece by piece.
    private static let stepObjectCountMax = 1_000_000

    /// Runs `action` on the feed's thread, between two steps, at the newest version. While the feed stops, it is the last version
    /// that could be read.
    ///
    /// - `orElse`: Called there instead if the feed stops and no version can be read.
    /// - Returns: False if the feed was stopped. Neither is called then.
    @discardableResult
    package func perform(
        _ action: @escaping @Sendable (Position) -> Void,
        orElse: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        var isTaken = false
        inbox.signal { state in
            guard !state.isStopping else { return false }
            state.actions.append(Action(body: action, orElse: orElse))
            isTaken = true
            return true
        }
        return isTaken
    }

    /// Ends the feed's thread and closes its view of the store; waits for it.
    package func stop() {
        inbox.update { $0.isStopping = true }
        inbox.wait { $0.hasStopped ? () : nil }
    }

    // MARK: On the feed's thread

    /// Adds a channel, which receives events from the current position on. Its query is of the schema there. Only within an
    /// action.
    package func add(_ channel: any FeedChannel) {
        let index = index ?? SubscriptionIndex(channel.query.schema, allowance: makeAllowance())
        self.index = index
        index.add(channel)
    }

    /// Runs `action` as ``perform(_:)`` does, not before a time in milliseconds of the monotonic clock. Only
    /// within an action, a tick or a call of a channel.
    package func perform(at due: UInt64, _ action: @escaping @Sendable (Position) -> Void) {
        delayed.append((due, Action(body: action, orElse: {})))
    }

    fileprivate func makeAllowance() -> FeedAllowance {
        FeedAllowance(milliseconds: filterMilliseconds)
    }

    /// Removes a channel. Only within an action or a call of a channel.
    package func remove(_ channel: any FeedChannel) { index?.remove(channel) }

    private func run() {
        var lastTick: UInt64 = 0
        var actions: [Action] = []
        /// Whether commits could not be read.
        var isBehind = false
        while true {
            var newsTime: UInt64?
            var isStopping = false
            let hasMore = !actions.isEmpty && !isBehind
            _ = inbox.wait(microseconds: hasMore ? 0 : waitMilliseconds * 1000) { state -> Void? in
                if state.hasNews || state.isStopping || !state.actions.isEmpty { return () }
                state.isIdle = !isBehind && index == nil
                return nil
            }
            inbox.withLock { state in
                state.isIdle = false
                if state.hasNews { newsTime = state.newsTime }
                isStopping = state.isStopping
                state.hasNews = false
                actions += state.actions
                state.actions = []
            }
            actions += takeDue()
            if index != nil || !actions.isEmpty {
                isBehind = true
                do throws(StoreError) {
                    try advance()
                    isBehind = false
                    if let time = newsTime { figures.noteLag(since: time) }
                } catch { logFailure(error) }
                // Actions that cannot run are tried again with the next commits or tick, if there is one.
                if !isBehind || isStopping, !actions.isEmpty, let current {
                    let position = Position(
                        feed: self, version: current.version, transaction: current.transaction)
                    run(&actions, at: position, all: isStopping)
                    onStep(current.version)
                }
            }
            let now = monotonicMilliseconds()
            if now >= lastTick + UInt64(tickMilliseconds) {
                lastTick = now
                onTick(current?.version ?? store.publisher.version)
            }
            if index?.count ?? 0 == 0 {
                index = nil
                current?.transaction.close()
                current = nil
            }
            if isStopping { break }
        }
        for action in actions { action.orElse() }
        current?.transaction.close()
        current = nil
        index = nil
        inbox.update { $0.hasStopped = true }
    }

    /// Runs actions. If they take long, leaves some for later, so that commits are reported in between.
    private func run(_ actions: inout [Action], at position: Position, all runsAll: Bool) {
        let start = threadNanoseconds()
        var count = 0
        while count < actions.count {
            actions[count].body(position)
            count += 1
            if !runsAll, threadNanoseconds() &- start >= Self.actionNanosecondsMax { break }
        }
        actions.removeFirst(count)
    }

    /// The time to wait for commits.
    private var waitMilliseconds: Int {
        guard let due = delayed.lazy.map(\.due).min() else { return tickMilliseconds }
        let now = monotonicMilliseconds()
        return due <= now ? 0 : min(tickMilliseconds, Int(due - now))
    }

    private func takeDue() -> [Action] {
        if delayed.isEmpty { return [] }
        let now = monotonicMilliseconds()
        defer { delayed.removeAll { $0.due <= now } }
        return delayed.filter { $0.due <= now }.map(\.action)
    }

    /// Goes to the newest state and delivers the changes in between to the channels.
    private func advance() throws(StoreError) {
        // A separate view: matchers identify a state by its view, and keep their findings there.
        let next = try store.read()
        do throws(StoreError) {
            let version = try next.state().version
            if let before = current, version > before.version {
                try deliver(from: before, to: next, version: version)
            }
            // Even if the version is the same, so that no snapshot grows older than a tick.
            current?.transaction.close()
            current = (next, version)
            toldVersion = version
        } catch {
            next.close()
            throw error
        }
    }

    private func deliver(
        from before: (transaction: StoreView, version: UInt64), to after: StoreView, version: UInt64
    ) throws(StoreError) {
        guard let index else { return }
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: before.version, in: after, objectCountMax: Self.stepObjectCountMax,
                notesLists: index.readsLists, formerByteCountMax: 0)
        } catch {
            if case .storage(let storage) = error { throw .storage(storage) }
            // The log was trimmed past the feed.
            return invalidate()
        }
        if before.transaction.rows !== after.rows || changes.through < version {
            return invalidate()
        }
        let step = ChangeStep(before: before.transaction, after: after, changes: changes)
        let budget = StepBudget(microseconds: stepMicroseconds)
        step.budget = budget
        figures.noteStep(versionCount: version - before.version)
        // Writing objects follows links as well. Channels limit that.
        index.forEachFindings(
            of: step, within: Self.stepMillisecondsMax,
            unplacedWithin: Self.unplacedMillisecondsMax, budget
        ) { findings in
            // A failure also fails the rest of the step.
            guard let index = self.index else { return }
            if let failure = before.transaction.failure ?? after.failure {
                // The objects are not known.
                logFailure(.storage(failure))
                return invalidate()
            }
            for (channels, isSlow) in [(findings.slow, true), (findings.deferred, false)] {
                for channel in channels {
                    index.remove(channel)
                    channel.invalidate(isSlow: isSlow)
                }
            }
            for channel in findings.touched { channel.touch(from: before.version, to: version) }
            for isFirst in [true, false] {
                for (channel, events) in findings.told where channel.comesFirst == isFirst {
                    let client = channel.wantsEvents ? channel.client : nil
                    if budget.refuses(client) {
                        index.remove(channel)
                        channel.invalidate(isSlow: false)
                        continue
                    }
                    budget.tell(client) {
                        channel.publish(events, from: before.version, to: version, step)
                    }
                }
            }
        }
        toldVersion = version
        onStep(version)
    }

    private func invalidate() {
        let invalidated = index?.channels ?? []
        index = nil
        for channel in invalidated { channel.invalidate(isSlow: false) }
    }
}
