import HTTPServer
import ObjectJSON
import StoreService
import Synchronization
import Threads

/// The tickets that admit clients which send no headers, such as a browser's event source, to one event stream each.
///
/// A ticket is for one URL, has the rights of the token that it was made with, and ends with that. It opens its stream
/// once, and again after the connection broke: such clients come back to the same URL. Tickets are in memory alone,
/// as hashes. Thread-safe.
package final class StreamTickets: Sendable {
    /// The parameter of a URL that states one.
    static let parameter: StaticString = "ticket"

    private struct Ticket {
        let secret: TokenHash
        /// The hash of its URL.
        let address: TokenHash
        let owner: ClientKey
        let grant: Grant?
        /// Until when it opens its stream, in milliseconds of the monotonic clock; nil while that is open.
        var deadline: UInt64?

        func isOver(_ now: UInt64) -> Bool {
            grant?.ending != nil || deadline.map { now >= $0 } ?? false
        }
    }

    private let options: RESTOptions
    /// By the first characters of their texts, which are no secret.
    private let tickets = Mutex<[String: Ticket]>([:])

    /// A table without tickets.
    init(_ options: RESTOptions) { self.options = options }

    /// Makes a ticket.
    ///
    /// - Parameters:
    ///   - target: What it opens.
    ///   - owner: Who asks for it.
    ///   - grant: What admits who asks; nil where everybody may do everything.
    /// - Returns: Its text.
    /// - Throws: ``RequestFault`` `.unavailable` when there are too many.
    func make(
        for target: TargetIdentity, owner: ClientKey, grant: Grant?
    ) throws(RequestFault) -> String {
        // What it is found by, and its secret.
        let text = RandomID.make() + RandomID.make()
        let now = monotonicMilliseconds()
        guard let secret = Self.hash(Array(text.utf8)), let address = Self.hash(target.bytes) else {
            throw RequestFault(.failed, "internal-error", "The ticket could not be made.")
        }
        let ticket = Ticket(
            secret: secret, address: address, owner: owner, grant: grant,
            deadline: now + UInt64(options.ticketSeconds) * 1000)
        let isTaken = tickets.withLock { tickets in
            if !hasRoom(for: owner, among: tickets) {
                tickets = tickets.filter { !$0.value.isOver(now) }
            }
            guard hasRoom(for: owner, among: tickets) else { return false }
            tickets[Self.name(of: text)] = ticket
            return true
        }
        guard isTaken else { throw .tooManyTickets(options) }
        return text
    }

    /// Cost: a look at every ticket.
    private func hasRoom(for owner: ClientKey, among tickets: [String: Ticket]) -> Bool {
        tickets.count < options.ticketCountMax
            && tickets.values.count { $0.owner == owner } < options.tokenTicketCountMax
    }

    /// What admits a request by the ticket that it states.
    ///
    /// - Throws: ``RequestFault`` `.unauthenticated` when the ticket opens nothing, or not this.
    func grant(of request: Request) throws(RequestFault) -> Grant? {
        guard let name = Self.statedName(request),
            let ticket = valid(request, tickets.withLock { $0[name] })
        else { throw .invalidTicket(options) }
        return ticket.grant
    }

    /// Who made the ticket that a request states; nil when it states none.
    func owner(of request: Request) -> ClientKey? {
        Self.statedName(request).flatMap { name in tickets.withLock { $0[name]?.owner } }
    }

    /// Opens the stream of the ticket that a request states, until nobody holds what is returned; nil when it states
    /// none.
    ///
    /// - Throws: ``RequestFault`` `.unauthenticated` as ``grant(of:)``, `.conflict` while the stream is open.
    func open(_ request: Request) throws(RequestFault) -> Opening? {
        guard request[query: Self.parameter] != nil else { return nil }
        guard let name = Self.statedName(request) else { throw .invalidTicket(options) }
        let fault = tickets.withLock { tickets -> RequestFault? in
            guard let ticket = valid(request, tickets[name]) else { return .invalidTicket(options) }
            guard ticket.deadline != nil else { return .ticketInUse }
            tickets[name]?.deadline = nil
            return nil
        }
        if let fault { throw fault }
        return Opening(tickets: self, name: name)
    }

    /// A stream that a ticket has opened, until nobody holds this any more.
    final class Opening: Sendable {
        private let tickets: StreamTickets
        private let name: String

        fileprivate init(tickets: StreamTickets, name: String) {
            self.tickets = tickets
            self.name = name
        }

        deinit { tickets.streamEnded(name) }
    }

    private func streamEnded(_ name: String) {
        let deadline = monotonicMilliseconds() + UInt64(options.ticketReturnSeconds) * 1000
        tickets.withLock { $0[name]?.deadline = deadline }
    }

    /// A ticket, if the request states it for the URL that it is for, in time. Which of it is wrong shows in no time.
    private func valid(_ request: Request, _ ticket: Ticket?) -> Ticket? {
        guard let stated = request[query: Self.parameter], let ticket,
            !ticket.isOver(monotonicMilliseconds()), let secret = Self.hash(Array(stated.bytes)),
            let address = Self.hash(request.identity(leavingOut: Self.parameter).bytes)
        else { return nil }
        let isSecret = secret.isEqual(ticket.secret)
        return address.isEqual(ticket.address) && isSecret ? ticket : nil
    }

    // MARK: Texts

    /// What a ticket adds to its URL.
    static let parameterByteCount = "&ticket=".utf8.count + 2 * RandomID.byteCount

    private static func name(of text: String) -> String { String(text.prefix(RandomID.byteCount)) }

    /// What the ticket that a request states is found by; nil when it states none.
    private static func statedName(_ request: Request) -> String? {
        request[query: parameter].map { name(of: $0.string) }
    }

    private static func hash(_ bytes: [UInt8]) -> TokenHash? {
        bytes.withUnsafeBytes { TokenHash(of: $0) }
    }
}

extension RequestFault {
    fileprivate static func invalidTicket(_ options: RESTOptions) -> RequestFault {
        .single(
            .unauthenticated, "ticket-invalid",
            "The ticket is unknown, or is for another URL, or has ended: it opens its stream within "
                + "\(options.ticketSeconds) s, and again within \(options.ticketReturnSeconds) s after the connection "
                + "broke, as long as its token is valid. Make another with POST /v1/tickets.",
            partDetail: "The ticket opens nothing here.", parameter: "ticket")
    }

    fileprivate static var ticketInUse: RequestFault {
        .single(
            .conflict, "ticket-in-use",
            "The ticket's stream is open already. Make a ticket for each stream with POST /v1/tickets.",
            parameter: "ticket")
    }

    fileprivate static func tooManyTickets(_ options: RESTOptions) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-tickets",
            "There may be \(options.tokenTicketCountMax) tickets of one token and \(options.ticketCountMax) in all. "
                + "Try again when others have ended.",
            retryAfterSeconds: max(1, options.ticketSeconds))
    }
}
