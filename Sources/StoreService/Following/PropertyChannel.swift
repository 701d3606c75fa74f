import ObjectJSON
import ObjectStore

/// The followers of a property, told in intervals if they ask for it.
///
/// Lives on the feed's thread.
final class PropertyChannel: PacedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    private let property: ObservedProperty
    /// What is to be told.
    private var outcome = PropertyOutcome.nothing

    init(
        _ stream: CheckedStream, of property: ObservedProperty, isUntested: Bool, hub: StreamHub
    ) {
        self.property = property
        super.init(stream, isUntested: isUntested, hub: hub)
    }

    override var readsLists: Bool { true }
    override var isTold: Bool { outcome.isEmpty }
    override var isFull: Bool { outcome.isFull }

    override func fold(_ events: [QueryEvent], _ step: ChangeStep) throws(RequestFault) {
        Self.limit(step.before, step.after, until: ChangeFeed.tellDeadline)
        defer { Self.limit(step.before, step.after, until: .max) }
        let found = try PropertyStep(
            stream, property, step.changes, from: step.before, to: step.after, hub.served
        ).outcome(of: events)
        if let fault = fault(step.before, step.after) { throw fault }
        if isLate(step.before, step.after) { return overrun() }
        outcome.append(found)
    }

    override func tellFolded(_ transaction: ReadTransaction, _ version: UInt64) {
        defer { outcome = .nothing }
        do throws(RequestFault) {
            Self.limit(nil, transaction, until: ChangeFeed.tellDeadline)
            defer { Self.limit(nil, transaction, until: .max) }
            let news = try PropertyEvents(
                stream: stream, property: property, read: transaction, served: hub.served,
                framing: hub.events.framing
            ).news(of: outcome, version: version)
            if let fault = fault(nil, transaction) { throw fault }
            if isLate(nil, transaction) { return overrun() }
            switch news {
            case .nothing: break
            case .event(let bytes, _):
                hub.meter.countEncoding()
                send(bytes, of: version)
            case .unknown:
                for subscriber in takeSubscribers() { hub.restart(subscriber, .fellBehind) }
            }
        } catch {
            fail(error)
        }
    }

    override func forgetFolded() { outcome = .nothing }
}
