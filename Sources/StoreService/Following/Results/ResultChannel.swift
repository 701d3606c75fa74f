import ObjectJSON
import ObjectStore
import Threads

/// The followers of a live list, of sections or of an aggregate: the result is computed by a worker, once for all of
/// them, whenever a step concerns its query, and what is different is told with the version that was read.
///
/// Lives on the feed's thread. One computation runs at a time; steps that come meanwhile are folded into the next one.
final class ResultChannel: StreamChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// One that needs the whole result, or to learn that it has it.
    private struct Newcomer {
        let subscriber: StreamSubscriber
        /// Why what it knows is void; nil for one that knows the result at its version.
        let reason: ResetReason?
    }

    /// What the followers know; nil before the first computation.
    private var result: LiveResult?
    /// Since which version that has been right, and up to which it was when it was last looked at.
    private var span: ClosedRange<UInt64> = 0...0
    /// The last version that may have changed it and is not computed.
    private var markedThrough: UInt64?
    private var newcomers: [Newcomer] = []
    private var isComputing = false

    /// All who follow it.
    var followers: [StreamSubscriber] { newcomers.map(\.subscriber) + subscribers }

    override var isEmpty: Bool { super.isEmpty && newcomers.isEmpty }

    override func removeGone() {
        newcomers.removeAll { $0.subscriber.sink.isClosed }
        super.removeGone()
    }

    override func holdsThrough(_ version: UInt64) -> UInt64 {
        // It may be newer than the version that is asked about: what waits for an interval's end is older.
        if markedThrough == nil, result != nil, version > span.upperBound {
            span = span.lowerBound...version
        }
        return result == nil ? 0 : span.upperBound
    }

    // MARK: Followers

    /// Takes a stream that needs the result.
    ///
    /// - `reason`: Why what it knows is void; nil for one that knows the result at its version.
    /// - `version`: That of the feed.
    func join(_ subscriber: StreamSubscriber, _ reason: ResetReason?, at version: UInt64) {
        let through = holdsThrough(version)
        let isKnown = reason == nil && span.contains(subscriber.version)
        if isKnown, result != nil, markedThrough == nil, stream.result?.showsObjects ?? false {
            subscriber.version = through
            hub.tellUpToDate(subscriber, version)
            return hub.goLive(subscriber, in: self)
        }
        newcomers.append(Newcomer(subscriber: subscriber, reason: reason))
        schedule()
    }

    /// Has live streams wait for the whole result.
    private func expect(_ subscribers: [StreamSubscriber], _ reason: ResetReason) {
        for subscriber in subscribers {
            subscriber.fallBack(isToldInPart: true)
            newcomers.append(Newcomer(subscriber: subscriber, reason: reason))
        }
    }

    /// Takes the followers of a channel of the same definition, which the feed has let go.
    func adopt(_ other: ResultChannel, at version: UInt64) {
        let isNew = result == nil && isEmpty
        let (live, waiting) = (other.takeSubscribers(), other.newcomers)
        other.newcomers = []
        if isNew {
            // What has happened is in the change log.
            (result, span, markedThrough) = (other.result, other.span, version)
            for subscriber in live { hub.goLive(subscriber, in: self) }
        } else {
            expect(live, .fellBehind)
        }
        newcomers += waiting
        schedule()
    }

    override func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        touch(from: start, to: version)
    }

    override func touch(from start: UInt64, to version: UInt64) {
        if markedThrough == nil { _ = holdsThrough(start) }
        markedThrough = version
        schedule()
    }

    override func overrun() {
        hub.leaveToWorkers(stream)
        invalidate()
    }

    override func invalidate() {
        // What it is not told of any more may change the result, until another channel has its followers.
        markedThrough = .max
        hub.forget(self)
        hub.carryOver(self)
    }

    override func fail(_ fault: RequestFault) {
        for newcomer in newcomers { end(newcomer.subscriber, with: fault) }
        newcomers = []
        super.fail(fault)
    }

    override func end(version: UInt64) {
        for newcomer in newcomers { newcomer.subscriber.sink.end() }
        newcomers = []
        super.end(version: version)
    }

    // MARK: Computing

    /// Has the result computed, if that is needed and due.
    private func schedule() {
        guard !isComputing, markedThrough != nil || !newcomers.isEmpty, !isEmpty else { return }
        if newcomers.isEmpty, !isDue { return delay { _ in self.schedule() } }
        isComputing = true
        let computation = ResultComputation(
            stream: stream, served: hub.served, framing: hub.events.framing,
            known: result.map { ($0, span.upperBound) }, needsSnapshot: !newcomers.isEmpty)
        let count = newcomers.count
        let isTaken = hub.compute(
            computation, for: newcomers.prefix(16).map(\.subscriber) + someSubscribers
        ) { outcome, position in
            self.isComputing = false
            self.take(outcome, count, position)
        }
        if !isTaken { retry() }
    }

    private func retry() {
        isComputing = false
        hub.retry { self.schedule() }
    }

    /// Tells what was computed.
    ///
    /// - `count`: How many newcomers there were when it began.
    private func take(
        _ outcome: Result<ResultComputation.Outcome?, RequestFault>, _ count: Int,
        _ position: ChangeFeed.Position
    ) {
        guard hub.isInUse(self) else { return }
        let found: ResultComputation.Outcome
        switch outcome {
        case .failure(let fault):
            fail(fault)
            return forgetIfEmpty()
        case .success(nil):
            removeGone()
            return retry()
        case .success(let outcome?): found = outcome
        }
        if let reason = found.reset {
            result = nil
            expect(takeSubscribers(), reason)
            return schedule()
        }
        if let marked = markedThrough, marked <= found.version { markedThrough = nil }
        let isSame = result != nil && found.changes.isEmpty
        result = found.result
        span = (isSame ? span.lowerBound : found.version)...found.version
        if !found.changes.isEmpty { tell(found.changes, found.version) }
        let through = holdsThrough(position.version)
        let served = newcomers.prefix(count)
        newcomers.removeFirst(served.count)
        for newcomer in served { welcome(newcomer, found, (through, position.version)) }
        forgetIfEmpty()
        schedule()
    }

    private func tell(_ events: [SharedBytes], _ version: UInt64) {
        beginInterval()
        hub.meter.countEncoding()
        for event in events { send(event, of: version) }
    }

    /// - `versions`: The last one that the result is right for, and that of the feed.
    private func welcome(
        _ newcomer: Newcomer, _ found: ResultComputation.Outcome,
        _ versions: (through: UInt64, present: UInt64)
    ) {
        let subscriber = newcomer.subscriber
        // Nobody looks after one that has gone.
        if subscriber.sink.isClosed { return }
        let isObjects = stream.result?.showsObjects ?? false
        if newcomer.reason != nil || !span.contains(subscriber.version) || !isObjects {
            if isObjects {
                subscriber.send(
                    hub.events.reset(
                        newcomer.reason ?? .fellBehind, of: stream,
                        generation: subscriber.generation))
            }
            for event in found.snapshot { subscriber.send(event) }
        }
        subscriber.version = versions.through
        if isObjects { hub.tellUpToDate(subscriber, versions.present) }
        hub.goLive(subscriber, in: self)
    }
}
