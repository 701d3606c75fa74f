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
    /// The channels by the position of the only class that concerns them; nil for those that several concern.
    private var channels: [Int?: [ObjectIdentifier: any FeedChannel]] = [:]
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
        inbox.update { $0.isStopping = true }
        inbox.wait { $0.hasStopped ? () : nil }
    }

    // MARK: On the feed's thread

    /// Adds a channel, which gets events from the current position on. Only within an action.
    package func add(_ channel: any FeedChannel) {
        channels[channel.query.singleClass, default: [:]][ObjectIdentifier(channel)] = channel
    }

    /// Removes a channel. Only within an action or a call of a channel.
    package func remove(_ channel: any FeedChannel) {
        let singleClass = channel.query.singleClass
        channels[singleClass]?[ObjectIdentifier(channel)] = nil
        if channels[singleClass]?.isEmpty == true { channels.removeValue(forKey: singleClass) }
    }

    private func run() {
        var lastTick: UInt64 = 0
        var actions: [@Sendable (Position) -> Void] = []
        while true {
            let tick =
                isCatchingUp.load(ordering: .relaxed) ? Self.catchUpMilliseconds : tickMilliseconds
            let work: (actions: [@Sendable (Position) -> Void], isStopping: Bool)? = inbox.wait(
                microseconds: tick * 1000
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
                if !channels.isEmpty || !actions.isEmpty {
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
            if channels.isEmpty {
                current?.transaction.close()
                current = nil
            }
            if work?.isStopping == true { break }
        }
        current?.transaction.close()
        current = nil
        channels = [:]
        inbox.update { $0.hasStopped = true }
    }

    private var allChannels: [any FeedChannel] { channels.values.flatMap(\.values) }

    /// Goes to the newest state and delivers the changes in between to the channels.
    private func advance() throws(StoreError) {
        let next = try store.read()
        do throws(StoreError) {
            let version = try next.state().version
            if let before = current, version > before.version {
                try deliver(from: before, to: next, version: version)
            }
            // Also of the same version, so that no snapshot grows older than a tick.
            current?.transaction.close()
            current = (next, version)
        } catch {
            next.close()
            throw error
        }
    }

    private func deliver(
        from before: (transaction: ReadTransaction, version: UInt64), to after: ReadTransaction,
        version: UInt64
    ) throws(StoreError) {
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(after: before.version, in: after)
        } catch {
            if case .storage(let storage) = error { throw .storage(storage) }
            // The log was trimmed past the feed: every query starts again.
            return invalidate(.expiry)
        }
        // Queries name classes by their positions in the schema that they were compiled with.
        if before.transaction.rows !== after.rows { return invalidate(.schemaChange) }
        dispatch(changes, before: before, after: after, version: version)
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
        for index in Set(changes.order.map { Optional($0.classIndex) }).union([nil]) {
            for channel in (channels[index] ?? [:]).values { deliver(channel) }
        }
    }

    private func invalidate(_ reason: FeedInvalidation) {
        let invalidated = allChannels
        channels = [:]
        for channel in invalidated { channel.invalidate(reason) }
    }
}
