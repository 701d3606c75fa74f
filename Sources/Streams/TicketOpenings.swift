import CHoldfastCrypto
import HoldfastBytes
import HoldfastStoreService

/// The tickets that have opened their streams, and the tickets that may. Times are passed in; one thread at a time.
///
/// A ticket opens its stream once while it is fresh, and again for a while after the connection broke. Only the process knows the
/// streams that it has opened. So for that while after its start, a process takes tickets that an earlier one may have had open,
/// unless they are very old.
package struct TicketOpenings {
    /// A moment by both clocks.
    package struct Moment: Sendable {
        /// Milliseconds since 1970. A ticket's age counts by it, because another process may have made the ticket.
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
        /// The ticket opens its stream.
        case opens
        /// The stream is open already.
        case isOpen
        /// The ticket does not open its stream, or not any more.
        case isOver
        /// Too many tickets are in use.
        case tooMany
    }

    private struct Use {
        var client: ClientKey
        /// The time until which it opens its stream again, by the monotonic clock; nil while the stream is open.
        var deadline: UInt64?
    }

    private let limits: ServiceLimits
    private let start: Moment
    /// The tickets that have opened their streams, including expired tickets that look fresh.
    private var uses: [SignedTicket: Use] = [:]

    /// Begins without tickets.
    package init(_ limits: ServiceLimits, startedAt start: Moment) {
        self.limits = limits
        self.start = start
    }

    /// Whether a ticket may open its stream, apart from the number of tickets in use.
    package func verdict(on ticket: SignedTicket, at now: Moment) -> Verdict {
        guard let use = uses[ticket] else { return isTaken(ticket, now) ? .opens : .isOver }
        guard let deadline = use.deadline else { return .isOpen }
        return now.monotonic < deadline ? .opens : .isOver
    }

    /// Whether a ticket that has not opened a stream in this process may open one.
    private func isTaken(_ ticket: SignedTicket, _ now: Moment) -> Bool {
        // A ticket from the future was made before the clock was set back.
        let age = ticket.milliseconds.distance(to: now.wall).magnitude
        if age < UInt(limits.ticketSeconds) * 1000 { return true }
        let ageAtStart = ticket.milliseconds.distance(to: start.wall).magnitude
        return ticket.milliseconds < start.wall
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

/// A ticket for the event stream of one URL: its owner and the time when it was made, signed by the store's key together with the
/// URL.
///
/// Nothing of it is stored, so that it outlives a restart. Its text is base64url, without padding, of
///
///     offset  bytes  field (little-endian)
///     0       8      number of the token that it was made with; 0 if no token was needed
///     8       8      time when it was made, in milliseconds since 1970
///     16      8      random
///     24      32     keyed BLAKE2b of a name of this form, the 24 bytes before, and the URL's identity
package struct SignedTicket: Hashable, Sendable {
    /// The number of the token that it was made with.
    package let owner: UInt64
    /// The time when it was made, in milliseconds since 1970.
    package let milliseconds: Int64
    /// Distinguishes it from other tickets of the same token and time.
    private let random: UInt64

    private static let signedByteCount = 24
    private static let byteCount = signedByteCount + 32
    /// The number of characters of its text.
    package static let textByteCount = (byteCount * 4 + 2) / 3
    private static let form: StaticString = "holdfast ticket 2"

    /// Makes a new ticket.
    package init(owner: UInt64, milliseconds: Int64) {
        self.owner = owner
        self.milliseconds = milliseconds
        // The system's generator is `getrandom` (2).
        random = UInt64.random(in: 0 ... .max)
    }

    /// Reads a text; nil unless it is signed with the key for the URL. The time that it takes does not show which part is wrong.
    package init?(_ text: UnsafeRawBufferPointer, for url: [UInt8], key: [UInt8]) {
        guard text.count == Self.textByteCount else { return nil }
        let decoded = ByteBuffer(capacity: 64)
        guard Base64.decode(text, alphabet: .url, into: decoded), decoded.count == Self.byteCount
        else { return nil }
        let bytes = decoded.bytes
        let signed = UnsafeRawBufferPointer(rebasing: bytes[..<Self.signedByteCount])
        guard let code = Self.code(of: signed, for: url, key: key),
            shim_are_equal(code, bytes.baseAddress.map { $0 + Self.signedByteCount }, 32) == 1
        else { return nil }
        owner = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        milliseconds = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        random = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    }

    /// Makes the text of the ticket for a URL; nil if the library fails.
    package func text(for url: [UInt8], key: [UInt8]) -> String? {
        let bytes = ByteBuffer(capacity: 64)
        bytes.append(little: owner)
        bytes.append(little: UInt64(bitPattern: milliseconds))
        bytes.append(little: random)
        guard let code = Self.code(of: bytes.bytes, for: url, key: key) else { return nil }
        bytes.append(code)
        return Base64.urlText(of: bytes.bytes)
    }

    private static func code(
        of signed: UnsafeRawBufferPointer, for url: [UInt8], key: [UInt8]
    ) -> [UInt8]? {
        let message = ByteBuffer(capacity: form.utf8CodeUnitCount + signed.count + url.count)
        message.append(form)
        message.append(signed)
        message.append(url)
        return message.authenticationCode(under: key)
    }
}
