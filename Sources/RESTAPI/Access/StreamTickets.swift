import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService
import HoldfastStreams
import HoldfastThreads
import Synchronization

/// The tickets that admit clients which send no headers, such as a browser's event source, to one event stream each.
///
/// A ticket (``SignedTicket``) is for one URL, has the rights of the token that it was made with, and ends with that
/// token. A ticket of a user with a token of an issuer, or with a session, has that token sealed behind a point,
/// since only the token identifies the user. Only tickets in use are in memory (``TicketOpenings``); the rest stands
/// in their texts, so that they outlive a restart. Thread-safe.
package final class StreamTickets: Sendable {
    /// The parameter of a URL that states one.
    static let parameter: StaticString = "ticket"
    /// The bytes that a ticket adds to its URL.
    ///
    /// - `token`: The token of a user that is only known by it; nil for any other client.
    static func parameterByteCount(_ token: UnsafeRawBufferPointer?) -> Int {
        "&ticket=".utf8.count + SignedTicket.textByteCount
            + (token.map { 1 + Seal.textByteCount(of: $0.count) } ?? 0)
    }

    private let limits: ServiceLimits
    /// The key that signs them.
    private let key: [UInt8]
    private let openings: Mutex<TicketOpenings>
    /// Seals the tokens of users; nil when the library fails.
    private let seal: Seal?

    /// The tickets that a key signs.
    init(_ limits: ServiceLimits, key: [UInt8]) {
        self.limits = limits
        self.key = key
        openings = Mutex(TicketOpenings(limits, startedAt: Self.now()))
        seal = Seal("holdfast ticket bearer 1", storeKey: key)
    }

    /// Makes a ticket.
    ///
    /// - Parameters:
    ///   - target: The stream that it opens.
    ///   - owner: The number of the client's token or user; 0 for an anonymous visitor, and if no token is needed.
    ///   - token: The token of a user that is only known by it; nil for any other client.
    ///   - client: The client that asks.
    /// - Returns: Its text.
    /// - Throws: ``RequestFault`` `.unavailable` if so many are in use that it could not be used.
    func make(
        for target: TargetIdentity, owner: UInt64, _ token: UnsafeRawBufferPointer?,
        client: ClientKey
    ) throws(RequestFault) -> String {
        let now = Self.now()
        guard openings.withLock({ $0.hasRoom(for: client, at: now) }) else {
            throw .tooManyTickets(limits)
        }
        let ticket = SignedTicket(owner: owner, milliseconds: now.wall)
        guard let text = ticket.text(for: target.bytes, key: key) else { throw Self.failed }
        guard let token else { return text }
        guard let sealed = seal?.text(of: token, in: Array(text.utf8)) else { throw Self.failed }
        return text + "." + sealed
    }

    private static let failed = RequestFault(
        .failed, "internal-error", "The ticket could not be made.")

    private func isOver(_ ticket: SignedTicket) -> Bool {
        openings.withLock { $0.verdict(on: ticket, at: Self.now()) } == .isOver
    }

    /// Returns the grant of a request by the ticket that it states.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - right: The right that its operation needs.
    ///   - tokens: The tokens of the store.
    ///   - users: The users that are only known by their own tokens; nil without such users.
    ///   - nobody: The grant of an anonymous visitor; nil without one.
    /// - Returns: The grant.
    /// - Throws: ``RequestFault`` `.unauthenticated` when the ticket opens nothing, or not this.
    func grant(
        of request: Request, needing right: Right, from tokens: AccessTokens,
        _ users: SignedInUsers?, or nobody: Grant?
    ) throws(RequestFault) -> Grant {
        let (ticket, token) = try stated(in: request)
        var grant: Grant?
        if let token {
            grant = token.withUnsafeBytes { token in
                do throws(RequestFault) { return try users?.grant(token) } catch { return nil }
            }
        } else if ticket.owner == 0 {
            grant = nobody
        } else {
            grant = tokens.access(ofNumber: ticket.owner)?.grant(right)
        }
        guard !isOver(ticket), let grant, grant.ending == nil, grant.owner == ticket.owner else {
            throw .invalidTicket(limits)
        }
        return grant
    }

    /// Opens the stream of the ticket that a request states, for as long as the returned value is held; nil without a ticket.
    ///
    /// - Throws: ``RequestFault`` `.unauthenticated` as ``grant(of:needing:from:)``, `.conflict` while the stream is
    ///   open, `.unavailable` when too many are in use.
    func open(_ request: Request, for client: ClientKey) throws(RequestFault) -> Lease? {
        guard request[query: Self.parameter] != nil else { return nil }
        let ticket = try stated(in: request).ticket
        switch openings.withLock({ $0.open(ticket, for: client, at: Self.now()) }) {
        case .opens:
            return Lease { self.openings.withLock { $0.streamEnded(ticket, at: Self.now()) } }
        case .isOpen: throw .ticketInUse
        case .isOver: throw .invalidTicket(limits)
        case .tooMany: throw .tooManyTickets(limits)
        }
    }

    /// Reads the ticket that a request states for its URL, and the token that is sealed in it.
    private func stated(
        in request: Request
    ) throws(RequestFault) -> (ticket: SignedTicket, token: [UInt8]?) {
        guard let text = request[query: Self.parameter] else { throw .invalidTicket(limits) }
        let parts = text.bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        func bytes(_ part: UnsafeBufferPointer<UInt8>.SubSequence) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: part))
        }
        guard
            let ticket = SignedTicket(
                bytes(parts[0]), for: request.identity(leavingOut: Self.parameter).bytes, key: key)
        else { throw .invalidTicket(limits) }
        if parts.count == 1 { return (ticket, nil) }
        guard let token = seal?.bytes(in: bytes(parts[1]), with: Array(parts[0])) else {
            throw .invalidTicket(limits)
        }
        return (ticket, token)
    }

    private static func now() -> TicketOpenings.Moment {
        let wall = Timestamp.now()
        return TicketOpenings.Moment(
            wall: wall.seconds * 1000 + Int64(wall.nanoseconds) / 1_000_000,
            monotonic: monotonicMilliseconds())
    }
}

extension RequestFault {
    fileprivate static func invalidTicket(_ limits: ServiceLimits) -> RequestFault {
        .single(
            .unauthenticated, "ticket-invalid",
            "The ticket is unknown, expired, or for another URL. A ticket opens its stream within "
                + "\(limits.ticketSeconds) s, and again within \(limits.ticketReturnSeconds) s after the connection "
                + "broke, as long as its token is valid. Make another with POST /v1/tickets.",
            partDetail: "The ticket is not valid here.", parameter: "ticket")
    }

    fileprivate static var ticketInUse: RequestFault {
        .single(
            .conflict, "ticket-in-use",
            "The ticket's stream is open already. Make a ticket for each stream with POST /v1/tickets.",
            parameter: "ticket")
    }

    fileprivate static func tooManyTickets(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-tickets",
            "One token or user may have \(limits.tokenTicketCountMax) tickets in use, and all together \(limits.ticketCountMax). "
                + "Try again when some have ended.",
            retryAfterSeconds: max(1, limits.ticketReturnSeconds))
    }
}

extension RESTService {
    /// `POST /v1/tickets`: a ticket for the event stream of one URL.
    func createTicket(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let body = try json(request)
        guard body.kind == .object, body.count == 1, let url = body.member(named: "url")?.string
        else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is a JSON object with the URL of a stream and nothing else, such as "
                    + "{\"url\":\"/v1/classes/Task/changes?filter=done == false\"}.")
        }
        let token = request.user == nil ? nil : try AccessPolicy.token(of: request)
        let byteCount = url.utf8.count + StreamTickets.parameterByteCount(token)
        guard byteCount <= options.targetByteCountMax else {
            throw .single(
                .malformed, "invalid-body",
                "With its ticket the URL has \(byteCount) bytes; \(options.targetByteCountMax) are allowed "
                    + "(--max-target). Shorten the filter or the selection in it.", pointer: "/url")
        }
        guard let target = TargetIdentity(url, leavingOut: StreamTickets.parameter),
            Operation.all.contains(where: { $0.isEndless && $0.isAt(target.segments) })
        else {
            throw .single(
                .invalid, "not-a-stream",
                "A ticket is for the URL of an event stream, from its path on, such as "
                    + "/v1/classes/Task/changes?filter=done == false.", pointer: "/url")
        }
        let ticket = try tickets.make(
            for: target, owner: request.grant?.owner ?? 0, token, client: caller(request).client)
        let response = Response.object(201) { object in
            object.member("ticket").string(ticket)
            object.member("expiresIn").int(Int64(self.options.limits.ticketSeconds))
        }
        return .respond(response.with(.cacheControl, "no-store"))
    }
}
