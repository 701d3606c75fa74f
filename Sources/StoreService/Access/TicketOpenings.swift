/// The tickets that have opened their streams, and those that may. Times are handed in; one thread at a time.
///
/// A ticket opens its stream once while it is fresh, and again for a while after the connection broke. Only the
/// process knows the streams that it has opened: for that while from its start on, a process takes tickets that an
/// earlier one may have had open, unless they are very old.
package struct TicketOpenings {
    /// A moment by both clocks.
    package struct Moment: Sendable {
        /// Milliseconds since 1970, by which a ticket's age counts: another process has made it.
        package var wall: Int64
        /// Milliseconds of the monotonic clock.
        package var monotonic: UInt64

        /// Makes a moment.
        package init(wall: Int64, monotonic: UInt64) {
            self.wall = wall
            self.monotonic = monotonic
        }
    }

    /// Whether a ticket opens its stream.
    package enum Verdict: Sendable, Equatable {
        /// It does.
        case opens
        /// Its stream is open already.
        case isOpen
        /// It does not, or not any more.
        case isOver
        /// There are too many in use.
        case tooMany
    }

    private struct Use {
        var client: ClientKey
        /// Until when it opens its stream again, by the monotonic clock; nil while that is open.
        var deadline: UInt64?
    }

    private let limits: ServiceLimits
    private let start: Moment
    /// The tickets that have opened their streams; also those that are over but look fresh.
    private var uses: [SignedTicket: Use] = [:]

    /// Begins without any.
    package init(_ limits: ServiceLimits, startedAt start: Moment) {
        self.limits = limits
        self.start = start
    }

    /// Whether a ticket may open its stream, apart from how many do.
    package func verdict(on ticket: SignedTicket, at now: Moment) -> Verdict {
        guard let use = uses[ticket] else { return isTaken(ticket, now) ? .opens : .isOver }
        guard let deadline = use.deadline else { return .isOpen }
        return now.monotonic < deadline ? .opens : .isOver
    }

    /// Whether a ticket that has opened nothing in this process may.
    private func isTaken(_ ticket: SignedTicket, _ now: Moment) -> Bool {
        // A ticket from the future was made before the clock was set back.
        let age = ticket.milliseconds.distance(to: now.wall).magnitude
        if age < UInt(limits.ticketSeconds) * 1000 { return true }
        let ageAtStart = ticket.milliseconds.distance(to: start.wall).magnitude
        return ticket.milliseconds <= start.wall
            && ageAtStart < UInt(limits.ticketRestartSeconds) * 1000
            && now.monotonic < start.monotonic + returnMilliseconds
    }

    /// Whether there is room for another ticket of a client. Cost: a look at every ticket in use.
    package mutating func hasRoom(for client: ClientKey, at now: Moment) -> Bool {
        if isRoom(for: client) { return true }
        uses = uses.filter { ticket, use in
            use.deadline.map { now.monotonic < $0 } ?? true || isTaken(ticket, now)
        }
        return isRoom(for: client)
    }

    private func isRoom(for client: ClientKey) -> Bool {
        uses.count < limits.ticketCountMax
            && uses.values.count { $0.client == client } < limits.tokenTicketCountMax
    }

    /// Opens a ticket's stream.
    package mutating func open(
        _ ticket: SignedTicket, for client: ClientKey, at now: Moment
    ) -> Verdict {
        let verdict = verdict(on: ticket, at: now)
        guard verdict == .opens else { return verdict }
        if uses[ticket] == nil, !hasRoom(for: client, at: now) { return .tooMany }
        uses[ticket] = Use(client: client, deadline: nil)
        return .opens
    }

    /// Notes that the stream of a ticket has ended.
    package mutating func streamEnded(_ ticket: SignedTicket, at now: Moment) {
        let deadline = now.monotonic + returnMilliseconds
        uses[ticket]?.deadline = deadline
    }

    private var returnMilliseconds: UInt64 { UInt64(limits.ticketReturnSeconds) * 1000 }
}
