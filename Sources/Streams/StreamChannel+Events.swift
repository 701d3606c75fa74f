import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads

// The events that a channel writes once for all its followers.
extension StreamChannel {
    /// The bytes after which an event continues in another part.
    static let partByteCount = 256 << 10

    /// Runs `body` within the time for a part of an event.
    ///
    /// - Throws: ``Interruption`` if `body` throws, if reading failed, or if time is over.
    private func inTime<Value>(
        _ before: ReadTransaction?, _ after: ReadTransaction, isToldInPart: Bool = false,
        _ body: () throws(RequestFault) -> Value
    ) throws(Interruption) -> Value {
        func limit(until deadline: UInt64) {
            before?.beginFollowing(until: deadline)
            after.beginFollowing(until: deadline)
        }
        limit(until: monotonicMilliseconds() + ChangeFeed.tellMillisecondsMax)
        defer { limit(until: .max) }
        let result = Result { () throws(RequestFault) in try body() }
        // Values that could not be read may differ.
        if let failure = after.failure ?? before?.failure {
            throw .fault(hub.served.fault(.storage(failure)))
        }
        // A worker has more time: a `body` that was stopped here is no fault that ends a stream.
        if after.isLate || before?.isLate ?? false {
            throw .late(isToldInPart: isToldInPart, isSlow: true)
        }
        do throws(RequestFault) { return try result.get() } catch { throw .fault(error) }
    }

    /// The events of a step that are reported to the followers.
    func counted(_ events: [QueryEvent], _ step: ChangeStep) throws(Interruption) -> [QueryEvent] {
        guard events.contains(where: { $0.kind == .update }),
            let comparison = ShownComparison(
                of: stream, before: step.before, after: step.after, hub.served.limits)
        else { return events }
        return try inTime(step.before, step.after) { comparison.changes(in: events) }
    }

    /// Determines the outcome of a step for a property.
    func outcome(
        of property: ObservedProperty, _ events: [QueryEvent], _ step: ChangeStep
    ) throws(Interruption) -> PropertyOutcome {
        try inTime(step.before, step.after) { () throws(RequestFault) in
            try PropertyStep(
                stream: stream, property: property, changes: step.changes, before: step.before,
                after: step.after, served: hub.served
            ).outcome(of: events)
        }
    }

    /// Sends the changes that were collected during an interval.
    func tell(
        _ content: ChannelContent, _ version: UInt64, _ transaction: ReadTransaction
    ) throws(Interruption) {
        switch content {
        case .changes(var folded): try tell(folded.take(), version, nil, transaction)
        case .property(let property, let outcome):
            let news = try inTime(nil, transaction) { () throws(RequestFault) in
                try PropertyEvents(
                    stream: stream, property: property, read: transaction, served: hub.served,
                    framing: hub.events.framing
                ).news(of: outcome, version: version)
            }
            switch news {
            case .nothing: break
            case .event(let bytes, _):
                hub.countEncoding()
                send(bytes, of: version)
            case .unknown:
                for follower in take() { hub.restart(follower, .fellBehind) }
            }
        case .result, .outbox: break
        }
    }

    /// Sends a step's event to the streams, in parts if it is large. Parts for which no stream has room are not written.
    ///
    /// - `before`: The state before the step; nil if it is not open any more and not needed.
    /// - `budget`: Decides before each further part whether there is time for it; nil for no limit.
    func tell(
        _ events: [QueryEvent], _ version: UInt64, _ before: ReadTransaction?,
        _ after: ReadTransaction, _ budget: StepBudget? = nil
    ) throws(Interruption) {
        var position = 0
        while position < events.count, followers.contains(where: { !$0.isPoll }) {
            let first = position
            if first > 0, let budget, !budget.mayGoOn() {
                throw .late(isToldInPart: true, isSlow: false)
            }
            let bytes = try inTime(before, after, isToldInPart: first > 0) {
                () throws(RequestFault) in try part(of: events, &position, version, before, after)
            }
            hub.countEncoding()
            send(bytes, of: version, isLast: position == events.count, isToldInPart: first > 0)
        }
    }

    /// Writes the part of an event that begins at a position, and moves the position to the part's end.
    private func part(
        of events: [QueryEvent], _ position: inout Int, _ version: UInt64,
        _ before: ReadTransaction?, _ after: ReadTransaction
    ) throws(RequestFault) -> SharedBytes {
        var writer = ChangeWriter(stream, after, hub.served.limits, before: before)
        let first = position
        // If the client has several queries, the part is a piece of their common event.
        let isEvent = stream.definition.eventOptions.query == nil
        if isEvent { writer.beginChangeEvent(version: version, hub.events.framing) }
        while position < events.count, writer.byteCount < Self.partByteCount {
            if position > first { writer.raw(",") }
            if entries.channelCount > 1 {
                writer.write(events[position], sharing: entries, at: version)
            } else {
                writer.write(events[position], withVersion: false)
            }
            position += 1
        }
        let isLast = position == events.count
        if isEvent {
            writer.endChangeEvent(
                version: isLast ? version : nil, isLastPart: isLast && first > 0,
                hub.events.framing)
        }
        return try writer.finish()
    }

    /// Answers the polls with a step's changes.
    func answer(
        _ events: [QueryEvent], _ versions: (start: UInt64, end: UInt64),
        _ before: ReadTransaction, _ after: ReadTransaction
    ) {
        let polls = take(where: \.isPoll)
        var page: SharedBytes?
        func fits(_ poll: Follower) -> Bool {
            if case .reply(_, let limit, _) = poll.client { events.count <= limit } else { false }
        }
        if polls.contains(where: fits) {
            page = try? inTime(before, after) { () throws(RequestFault) in
                var writer = ChangeWriter(stream, after, hub.served.limits, before: before)
                writer.writePage(events, version: versions.end)
                return try writer.finish()
            }
        }
        for poll in polls {
            if let page, fits(poll), case .reply(let sink, _, _) = poll.client {
                sink.reply(page)
            } else {
                // The poll knows everything up to there.
                poll.state.advance(through: versions.start)
                hub.fallBehind(poll)
            }
        }
    }
}
