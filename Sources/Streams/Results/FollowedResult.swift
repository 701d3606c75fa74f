import HoldfastObjectJSON
import HoldfastObjectStore

/// A live list, sections or an aggregate as the followers of a channel know it. Whenever a step concerns its query, a worker
/// computes it, once for all followers, and the differences are sent with the version that was read.
///
/// Used only on the feed's thread. One computation runs at a time. Steps that come meanwhile are folded into the next one.
final class FollowedResult: @unchecked Sendable {
    // Unchecked: all state is used only on the feed's thread.

    private let showsObjects: Bool
    /// The result that the followers know; nil before the first computation.
    private var result: LiveResult?
    /// The version since which the result has been right, and the last version at which it was found to be.
    private var span: ClosedRange<UInt64> = 0...0
    /// The last version that may have changed the result and is not computed yet.
    private var markedThrough: UInt64?
    /// The followers that need the whole result, or have to be informed that they have it.
    private(set) var arrivals: [Follower] = []
    private var isComputing = false
    private var isRetrying = false

    init(_ stream: CheckedStream) { showsObjects = stream.result?.showsObjects ?? false }

    /// The last version for which the followers' result is right, if `version` is the feed's version.
    func knownVersion(at version: UInt64) -> UInt64 {
        // The result may be newer than `version`: changes that wait for an interval's end are older.
        if markedThrough == nil, result != nil, version > span.upperBound {
            span = span.lowerBound...version
        }
        return result == nil ? 0 : span.upperBound
    }

    // MARK: Followers

    /// Drops waiting followers that are gone.
    func removeGone() { arrivals.removeAll(where: \.isGone) }

    /// Removes the waiting followers and returns them.
    func takeArrivals() -> [Follower] {
        defer { arrivals = [] }
        return arrivals
    }

    /// Takes a follower that needs the result.
    ///
    /// - `version`: The feed's version.
    func join(_ follower: Follower, at version: UInt64, in channel: StreamChannel) {
        let through = knownVersion(at: version)
        if isKnown(to: follower, channel.hub), result != nil, markedThrough == nil, showsObjects {
            follower.state.advance(through: through)
            channel.hub.tellUpToDate(follower, version)
            return channel.hub.goLive(follower, in: channel)
        }
        arrivals.append(follower)
        schedule(in: channel)
    }

    /// Whether an arriving follower knows the same result as the others. Within a step the result may have been another one.
    private func isKnown(to follower: Follower, _ hub: StreamHub) -> Bool {
        let version = follower.state.version
        guard follower.state.resetReason == nil, span.contains(version) else { return false }
        return [span.lowerBound, span.upperBound].contains(version)
            || hub.stepEnds.contains(version)
    }

    /// Lets live followers wait for the whole result.
    private func expect(_ followers: [Follower], _ reason: ResetReason) {
        for follower in followers { follower.state.reset(reason) }
        arrivals += followers
    }

    /// Lets the followers of a channel that the feed has dropped continue with the same result.
    func carryOver(_ channel: StreamChannel) {
        // Unreported steps may change the result, until another channel has its followers.
        markedThrough = .max
        channel.hub.forget(channel)
        channel.hub.carryOver(channel)
    }

    /// Takes the followers of a channel of the same definition that the feed has dropped.
    func adopt(_ other: StreamChannel, at version: UInt64, in channel: StreamChannel) {
        guard let former = other.result else { return }
        let isNew = result == nil && channel.isEmpty
        let live = other.take()
        if isNew {
            // Its changes are in the change log.
            (result, span, markedThrough) = (former.result, former.span, version)
            for follower in live { channel.hub.goLive(follower, in: channel) }
        } else {
            expect(live, .fellBehind)
        }
        arrivals += former.arrivals
        former.arrivals = []
        schedule(in: channel)
    }

    // MARK: Computing

    /// Notes that a step may have changed the result.
    func mark(from start: UInt64, to version: UInt64, in channel: StreamChannel) {
        if markedThrough == nil { _ = knownVersion(at: start) }
        markedThrough = version
        schedule(in: channel)
    }

    /// Starts a computation of the result, if it is needed and due.
    private func schedule(in channel: StreamChannel) {
        guard !isComputing, markedThrough != nil || !arrivals.isEmpty, !channel.isEmpty
        else { return }
        let hub = channel.hub
        // A follower that needs the whole result waits while too much of its client's, or of all clients', is unread.
        removeGone()
        // Each is asked once: clients may read meanwhile.
        let count = arrivals.partition { hub.results.isTight(for: $0.caller.client) }
        if count < arrivals.count {
            retryLater(in: channel)
            if count == 0, markedThrough == nil || channel.followers.isEmpty { return }
        }
        if count == 0, !channel.pace.isDue {
            return channel.delay { _ in self.schedule(in: channel) }
        }
        isComputing = true
        let computation = ResultComputation(
            stream: channel.stream, served: hub.served, framing: hub.events.framing,
            known: result.map { ($0, span.upperBound) }, budget: hub.results,
            newcomer: arrivals.prefix(count).first?.caller.client)
        let isTaken = hub.compute(
            computation, for: Array(arrivals.prefix(min(count, 16))) + channel.followers.prefix(16)
        ) { outcome, position in
            self.isComputing = false
            self.take(outcome, count, position, in: channel)
        }
        if isTaken { return }
        isComputing = false
        retryLater(in: channel)
    }

    /// Restarts all followers, with the result as it is then.
    private func begin(again reason: ResetReason, in channel: StreamChannel) {
        result = nil
        expect(channel.take(), reason)
        schedule(in: channel)
    }

    /// Checks again in a moment whether the result is needed, once for all requests made meanwhile.
    private func retryLater(in channel: StreamChannel) {
        if isRetrying { return }
        isRetrying = true
        channel.hub.retry {
            self.isRetrying = false
            self.schedule(in: channel)
        }
    }

    /// Sends the computed result.
    ///
    /// - `count`: The number of followers that waited when the computation began.
    private func take(
        _ outcome: Result<ResultComputation.Outcome?, RequestFault>, _ count: Int,
        _ position: ChangeFeed.Position, in channel: StreamChannel
    ) {
        guard channel.hub.isInUse(channel) else { return }
        let found: ResultComputation.Outcome
        switch outcome {
        case .failure(let fault):
            // The result itself may be within the limits, even if its followers' former view of it takes more than a query may.
            if fault.isQueryLimit, result != nil, channel.stream.judgesMissed {
                return begin(again: .fellBehind, in: channel)
            }
            channel.fail(fault)
            return channel.forgetIfEmpty()
        case .success(nil):
            channel.removeGone()
            checkViews(position, in: channel)
            return retryLater(in: channel)
        case .success(let outcome?): found = outcome
        }
        if let reason = found.reset { return begin(again: reason, in: channel) }
        let isSame =
            result != nil && found.changes.isEmpty
            && found.version <= knownVersion(at: found.version) + 1
        let isRight = isSame && markedThrough == nil
        if let marked = markedThrough, marked <= found.version { markedThrough = nil }
        // A step that passed over this version has no events of changes that were undone after it.
        let isPassed =
            markedThrough == nil && !isRight && !channel.hub.stepEnds.contains(found.version)
            && !channel.hub.isUnchanged(channel.stream, after: found.version, position)
        if isPassed {
            markedThrough = position.version
            channel.pace.begin()
        }
        result = found.result
        span = (isSame ? span.lowerBound : found.version)...found.version
        if !found.changes.isEmpty {
            channel.pace.begin()
            channel.hub.countEncoding()
            for event in found.changes { channel.send(event, of: found.version) }
        }
        let through = knownVersion(at: position.version)
        let served = arrivals.prefix(count)
        arrivals.removeFirst(served.count)
        for follower in served {
            if isOtherView(follower, position, in: channel) {
                channel.hub.feedLater(follower)
                continue
            }
            welcome(follower, found, (through, position.version), in: channel)
        }
        channel.forgetIfEmpty()
        if isPassed, arrivals.isEmpty { retryLater(in: channel) } else { schedule(in: channel) }
    }

    /// Whether the view of a waiting follower's client differs from the channel's.
    private func isOtherView(
        _ follower: Follower, _ position: ChangeFeed.Position, in channel: StreamChannel
    ) -> Bool {
        !channel.stream.viewMark.isEmpty && !channel.hub.isCurrent(follower, position)
    }

    /// Drops waiting followers if their clients may read something else now.
    private func checkViews(_ position: ChangeFeed.Position, in channel: StreamChannel) {
        arrivals.removeAll { follower in
            let isOther = isOtherView(follower, position, in: channel)
            if isOther { channel.hub.feedLater(follower) }
            return isOther
        }
    }

    /// - `versions`: The last version for which the result is right, and the feed's version.
    private func welcome(
        _ follower: Follower, _ found: ResultComputation.Outcome,
        _ versions: (through: UInt64, present: UInt64), in channel: StreamChannel
    ) {
        let hub = channel.hub
        if follower.isGone { return }
        if !isKnown(to: follower, hub) || !showsObjects {
            if showsObjects {
                follower.send(
                    hub.events.reset(
                        follower.state.resetReason ?? .fellBehind, of: channel.stream,
                        generation: follower.generation))
            }
            for event in hub.results.count(found.snapshot, for: follower.caller.client) {
                follower.send(event)
            }
        }
        follower.state.advance(through: versions.through)
        if showsObjects { hub.tellUpToDate(follower, versions.present) }
        hub.goLive(follower, in: channel)
    }
}

/// A followed result at one version, as far as the next one is compared with it: the positions of the objects.
struct LiveResult: Sendable {
    /// Objects of the result in order; a list is one section.
    struct Section: Sendable {
        /// The key that the objects have in common, as JSON; empty for a list.
        var key: [UInt8] = []
        /// The number of objects, including objects that are not shown.
        var count = 0
        /// The object keys of the shown objects.
        var objects: [UInt64] = []
    }

    /// The position of an object.
    struct Index: Hashable, Sendable {
        var section: Int
        var item: Int
    }

    /// The objects; empty for an aggregate.
    var sections: [Section] = []
    /// Hashes of the objects as they are shown, by object key, if the followers may not read everything; empty if they may.
    var contents: [UInt64: Int] = [:]
    /// A hash of the reply of an aggregate.
    var value: UInt128 = 0

    /// Whether an object is known to be shown as in another result.
    func isSame(_ key: UInt64, as other: LiveResult) -> Bool {
        contents[key].map { other.contents[key] == $0 } ?? false
    }
}
