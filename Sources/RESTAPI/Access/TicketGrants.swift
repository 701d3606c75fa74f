import HoldfastHTTPServer
import HoldfastStoreService

/// The grants of tickets whose users are nowhere else: those with tokens of an issuer, and with sessions. Such tickets end with the process.
///
/// One owner has so many of them at most, so that nobody takes another's. One thread at a time.
struct TicketGrants {
    private let ownerCountMax: Int
    private let countMax: Int
    /// By owner.
    private var grants: [UInt64: [SignedTicket: Grant]] = [:]
    private var count = 0
    /// When all were looked at last, in milliseconds of the monotonic clock.
    private var sweptAt: UInt64?

    /// Begins without any.
    init(ownerCountMax: Int, countMax: Int) {
        (self.ownerCountMax, self.countMax) = (ownerCountMax, countMax)
    }

    /// Returns the grant of a ticket.
    subscript(ticket: SignedTicket) -> Grant? { grants[ticket.owner]?[ticket] }

    /// Keeps the grant of a ticket. Cost: a look at all of its owner's where these are many, and once a second at all where all are.
    ///
    /// - Parameters:
    ///   - now: The time, in milliseconds of the monotonic clock.
    ///   - isOver: Whether another ticket opens nothing any more.
    /// - Returns: Whether there was room for it.
    mutating func add(
        _ grant: Grant, of ticket: SignedTicket, at now: UInt64, _ isOver: (SignedTicket) -> Bool
    ) -> Bool {
        if grants[ticket.owner]?.count ?? 0 >= ownerCountMax { sweep(ticket.owner, isOver) }
        if count >= countMax, sweptAt.map({ now >= $0 + 1000 }) ?? true {
            sweptAt = now
            for owner in Array(grants.keys) { sweep(owner, isOver) }
        }
        guard count < countMax, grants[ticket.owner]?.count ?? 0 < ownerCountMax else {
            return false
        }
        grants[ticket.owner, default: [:]][ticket] = grant
        count += 1
        return true
    }

    private mutating func sweep(_ owner: UInt64, _ isOver: (SignedTicket) -> Bool) {
        let all = grants[owner] ?? [:]
        let left = all.filter { !isOver($0.key) && $0.value.ending == nil }
        count -= all.count - left.count
        grants[owner] = left.isEmpty ? nil : left
    }
}
