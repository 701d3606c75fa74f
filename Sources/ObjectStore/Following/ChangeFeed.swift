import Storage
import Synchronization
import Threads

/// Follows the commits of a store on a thread of its own and delivers to each channel what they mean to its
/// query.
///
/// It goes from one published state to the next, holding a view of both, so that its events are exact.
/// The work of a step is shared by all followers of a channel, and channels of classes that did not
/// change cost nothing. Thread-safe.
package final class ChangeFeed: @unchecked Sendable {
    // Unchecked: everything but `inbox` belongs to the feed's thread.

    /// Where the feed stands while an action runs on its thread.
    package struct Position {
        /// The feed, for adding and removing channels.
        package let feed: ChangeFeed
        /// The version that every channel has been told about.
        package let version: UInt64
        /// A view of that version, valid during the action.
        package let transaction: ReadTransaction
    }

    private struct Inbox {
        var hasNews = false
        var actions: [@Sendable (Position) -> Void] = []
        var isStopping = false
        var hasStopped = false
    }

    private let store: Store
    private let inbox = Monitor(Inbox())
    private let tickMilliseconds: Int
    private let isCatchingUp = Atomic<Bool>(false)
    private let onTick: @Sendable (ChangeFeed) -> Void
    private var current: (transaction: ReadTransaction, version: UInt64)?
    /// Channels that concern one class alone, by its position.
    private var classChannels: [Int: [ObjectIdentifier: any FeedChannel]] = [:]
    /// Channels that concern several classes.
    private var wideChannels: [ObjectIdentifier: any FeedChannel] = [:]
    private let logFailure: @Sendable (StoreError) -> Void

    /// Starts following.
    ///
    /// - `tickMilliseconds`: How often channels get their ``FeedChannel/tick(version:)``.
    /// - `onTick`: Called as often on the feed's thread, with or without channels.
    /// - `logFailure`: Told when a state can't be read; the feed then tries again.
    package init(
        store: Store, tickMilliseconds: Int = 250,
        onTick: @escaping @Sendable (ChangeFeed) -> Void = { _ in },
        logFailure: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        self.store = store
        self.tickMilliseconds = tickMilliseconds
        self.onTick = onTick
        self.logFailure = logFailure
        store.publisher.observe { [inbox] _ in
            inbox.signal { state in
                defer { state.hasNews = true }
                return !state.hasNews
            }
        }
        startThread { self.run() }
    }

    /// How long one channel may hold up the others, in milliseconds.
    private static let stepMillisecondsMax: UInt64 = 5000

    /// When work on the feed's thread that begins now has to be done, in milliseconds of the monotonic
    /// clock: all streams wait for it.
    package static var stepDeadline: UInt64 { monotonicMilliseconds() + stepMillisecondsMax }

    /// The time between ticks while a follower catches up.
    private static let catchUpMilliseconds = 10

    /// Has ticks come more often while followers catch up, or as usual again.
    package func setCatchingUp(_ isCatchingUp: Bool) {
        self.isCatchingUp.store(isCatchingUp, ordering: .relaxed)
    }

    /// Runs `action` on the feed's thread, between two steps, at the newest version.
    ///
    /// - Returns: False when the feed was stopped; the action will not run.
    @discardableResult
    package func perform(_ action: @escaping @Sendable (Position) -> Void) -> Bool {
        var isTaken = false
        inbox.signal { state in
            guard !state.isStopping else { return false }
            state.actions.append(action)
            isTaken = true
            return true
        }
        return isTaken
    }

    /// Ends the feed's thread and closes its view of the store; waits for it.
    package func stop() {
        inbox.signal {
            $0.isStopping = true
            return true
        }
        inbox.wait { $0.hasStopped ? () : nil }
    }

    // MARK: On the feed's thread

    /// Adds a channel, which gets events from the current position on. Only within an action.
    package func add(_ channel: any FeedChannel) {
        if let index = channel.query.singleClass {
            classChannels[index, default: [:]][ObjectIdentifier(channel)] = channel
        } else {
            wideChannels[ObjectIdentifier(channel)] = channel
        }
    }

    /// Removes a channel. Only within an action or a call of a channel.
    package func remove(_ channel: any FeedChannel) {
        if let index = channel.query.singleClass {
            classChannels[index]?[ObjectIdentifier(channel)] = nil
            if classChannels[index]?.isEmpty == true { classChannels[index] = nil }
        } else {
            wideChannels[ObjectIdentifier(channel)] = nil
        }
    }

    private func run() {
        var lastTick: UInt64 = 0
        var actions: [@Sendable (Position) -> Void] = []
        while true {
            let tick =
                isCatchingUp.load(ordering: .relaxed) ? Self.catchUpMilliseconds : tickMilliseconds
            let work: (actions: [@Sendable (Position) -> Void], isStopping: Bool)? = inbox.wait(
                milliseconds: tick
            ) { state in
                guard state.hasNews || state.isStopping || !state.actions.isEmpty else {
                    return nil
                }
                defer {
                    state.hasNews = false
                    state.actions = []
                }
                return (state.actions, state.isStopping)
            }
            actions += work?.actions ?? []
            do throws(StoreError) {
                if hasChannels || !actions.isEmpty {
                    try advance()
                    if let current {
                        let position = Position(
                            feed: self, version: current.version, transaction: current.transaction)
                        for action in actions { action(position) }
                        actions = []
                    }
                }
            } catch {
                // What could not run is tried again with the next news or tick.
                logFailure(error)
            }
            let now = monotonicMilliseconds()
            if now >= lastTick + UInt64(tick) {
                lastTick = now
                if let current {
                    for channel in allChannels { channel.tick(version: current.version) }
                }
                onTick(self)
            }
            if !hasChannels {
                current?.transaction.close()
                current = nil
            }
            if work?.isStopping == true { break }
        }
        current?.transaction.close()
        current = nil
        classChannels = [:]
        wideChannels = [:]
        inbox.signal {
            $0.hasStopped = true
            return true
        }
    }

    private var hasChannels: Bool { !classChannels.isEmpty || !wideChannels.isEmpty }

    private var allChannels: [any FeedChannel] {
        classChannels.values.flatMap(\.values) + Array(wideChannels.values)
    }

    /// Goes to the newest state and delivers the changes in between to the channels.
    private func advance() throws(StoreError) {
        let next = try store.read()
        let version: UInt64
        do throws(StoreError) { version = try next.state().version } catch {
            next.close()
            throw error
        }
        guard let before = current else {
            current = (next, version)
            return
        }
        guard version > before.version else {
            // The same state, seen by a younger snapshot, so that none grows older than a tick.
            before.transaction.close()
            current = (next, version)
            return
        }
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(after: before.version, in: next)
        } catch {
            next.close()
            switch error {
            case .storage(let storage): throw .storage(storage)
            case .expired, .future:
                // The log was trimmed past the feed: every query starts again.
                invalidate(.expiry)
                before.transaction.close()
                current = (next, version)
                return
            }
        }
        if changes.changesSchema {
            invalidate(.schemaChange)
        } else {
            dispatch(changes, before: before, after: next, version: version)
        }
        before.transaction.close()
        current = (next, version)
    }

    private func dispatch(
        _ changes: FoldedChanges, before: (transaction: ReadTransaction, version: UInt64),
        after: ReadTransaction, version: UInt64
    ) {
        func deliver(_ channel: any FeedChannel) {
            let deadline = Self.stepDeadline
            before.transaction.limitFollowing(until: deadline)
            after.limitFollowing(until: deadline)
            let events = channel.query.events(changes, before: before.transaction, after: after)
            let isLate = before.transaction.isLate || after.isLate
            // What is written of the objects follows links as well, a bounded number of them.
            before.transaction.limitFollowing(until: .max)
            after.limitFollowing(until: .max)
            if isLate {
                remove(channel)
                return channel.overrun()
            }
            if !events.isEmpty {
                channel.publish(
                    events, from: before.version, to: version, before: before.transaction,
                    after: after)
            }
        }
        for index in Set(changes.order.map(\.classIndex)) {
            for channel in (classChannels[index] ?? [:]).values { deliver(channel) }
        }
        for channel in wideChannels.values { deliver(channel) }
    }

    private func invalidate(_ reason: FeedInvalidation) {
        let channels = allChannels
        classChannels = [:]
        wideChannels = [:]
        for channel in channels { channel.invalidate(reason) }
    }
}
